// The angles between pairs of points on a sphere.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs arc_distance(Inputs& in) {
  const np::Array theta_1 = in["theta_1"], phi_1 = in["phi_1"], theta_2 = in["theta_2"], phi_2 = in["phi_2"];
  const np::Array temp = np::square(np::sin((theta_2 - theta_1) / 2)) +
                         np::cos(theta_1) * np::cos(theta_2) * np::square(np::sin((phi_2 - phi_1) / 2));
  return {{"distance", 2 * np::arctan2(np::sqrt(temp), np::sqrt(1 - temp))}};
}

static const Entry entry("arc_distance", arc_distance);
