// The mean of data in rings of equal width around the centre, by two histograms.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs azimint_hist(Inputs& in) {
  const auto npt = in.whole("npt");
  const auto histu = np::histogram(in["radius"], npt).first;
  const auto histw = np::histogram(in["radius"], npt, {.weights = in["data"]}).first;
  return {{"res", histw / histu}};
}

static const Entry entry("azimint_hist", azimint_hist);
