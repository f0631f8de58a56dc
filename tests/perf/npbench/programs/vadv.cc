// Vertical advection of the COSMO weather model: a tridiagonal system in each column, by Thomas's algorithm.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs vadv(Inputs& in) {
  auto &utens_stage = in["utens_stage"], &u_stage = in["u_stage"], &u_pos = in["u_pos"], &utens = in["utens"];
  auto& wcon = in["wcon"];
  const double dtr_stage = in.real("dtr_stage");
  const slice up(1, {}), down({}, -1);
  const std::int64_t last = u_stage.shape()[2] - 1;
  auto ccol = np::empty_like(u_stage), dcol = np::empty_like(u_stage);
  for (std::int64_t k = 0; k <= last; ++k) {
    auto bcol = np::array(dtr_stage), correction = np::array(0.0);
    np::Array acol;
    if (k > 0) {
      auto gav = -0.25 * (wcon(up, all, k) + wcon(down, all, k));
      acol = gav * 0.5;
      bcol = bcol - acol;
      correction = correction - gav * 0.5 * (u_stage(all, all, k - 1) - u_stage(all, all, k));
    }
    if (k < last) {
      auto gcv = 0.25 * (wcon(up, all, k + 1) + wcon(down, all, k + 1));
      ccol(all, all, k) = gcv * 0.5;
      bcol = bcol - ccol(all, all, k);
      correction = correction - gcv * 0.5 * (u_stage(all, all, k + 1) - u_stage(all, all, k));
    }
    dcol(all, all, k) = dtr_stage * u_pos(all, all, k) + utens(all, all, k) + utens_stage(all, all, k) + correction;
    auto divided = k > 0 ? 1.0 / (bcol - ccol(all, all, k - 1) * acol) : 1.0 / bcol;
    if (k > 0) {
      dcol(all, all, k) = (dcol(all, all, k) - dcol(all, all, k - 1) * acol) * divided;
    } else {
      dcol(all, all, k) *= divided;
    }
    if (k < last) ccol(all, all, k) *= divided;
  }
  auto data = dcol(all, all, last);
  utens_stage(all, all, last) = dtr_stage * (data - u_pos(all, all, last));
  for (std::int64_t k = last - 1; k >= 0; --k) {
    data = dcol(all, all, k) - ccol(all, all, k) * data;
    utens_stage(all, all, k) = dtr_stage * (data - u_pos(all, all, k));
  }
  return {{"utens_stage", utens_stage}};
}

static const Entry entry("vadv", vadv);
