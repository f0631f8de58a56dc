// The flow through a channel that is periodic along x, driven by a force, until it changes little.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static const slice in_(1, -1), lo(0, -2), hi(2, {});

// Three shifts along x: the columns that a slice names, and the two at the ends with their periodic neighbours.
struct Columns {
  np::Index west, here, east;
};
static const Columns kInner{lo, in_, hi}, kLast{-2, -1, 0}, kFirst{-1, 0, 1};

static void build_up_b(np::Array& b, double rho, double dt, const np::Array& u, const np::Array& v, double dx,
                       double dy) {
  for (const auto& [w, c, e] : {kInner, kLast, kFirst}) {
    b(in_, c) = rho * (1 / dt * ((u(in_, e) - u(in_, w)) / (2 * dx) + (v(hi, c) - v(lo, c)) / (2 * dy)) -
                       np::square((u(in_, e) - u(in_, w)) / (2 * dx)) -
                       2 * ((u(hi, c) - u(lo, c)) / (2 * dy) * (v(in_, e) - v(in_, w)) / (2 * dx)) -
                       np::square((v(hi, c) - v(lo, c)) / (2 * dy)));
  }
}

static void pressure_poisson_periodic(np::Array& p, double dx, double dy, const np::Array& b, std::int64_t nit) {
  for (std::int64_t q = 0; q < nit; ++q) {
    const np::Array pn = p.copy();
    for (const auto& [w, c, e] : {kInner, kLast, kFirst}) {
      p(in_, c) =
          ((pn(in_, e) + pn(in_, w)) * (dy * dy) + (pn(hi, c) + pn(lo, c)) * (dx * dx)) / (2 * (dx * dx + dy * dy)) -
          dx * dx * dy * dy / (2 * (dx * dx + dy * dy)) * b(in_, c);
    }
    p(-1, all) = p(-2, all);
    p(0, all) = p(1, all);
  }
}

static Outputs channel_flow(Inputs& in) {
  np::Array u = in["u"], v = in["v"], p = in["p"];
  const double dx = in.real("dx"), dy = in.real("dy"), dt = in.real("dt"), rho = in.real("rho"), nu = in.real("nu");
  const double F = in.real("F");
  np::Array b = np::zeros(u.shape());
  double udiff = 1;
  std::int64_t stepcount = 0;
  while (udiff > in.real("least")) {
    const np::Array un = u.copy(), vn = v.copy();
    build_up_b(b, rho, dt, u, v, dx, dy);
    pressure_poisson_periodic(p, dx, dy, b, in.whole("nit"));
    for (const auto& [w, c, e] : {kInner, kLast, kFirst}) {
      const np::Array uc = un(in_, c), vc = vn(in_, c);
      u(in_, c) = uc - uc * dt / dx * (uc - un(in_, w)) - vc * dt / dy * (uc - un(lo, c)) -
                  dt / (2 * rho * dx) * (p(in_, e) - p(in_, w)) +
                  nu * (dt / (dx * dx) * (un(in_, e) - 2 * uc + un(in_, w)) +
                        dt / (dy * dy) * (un(hi, c) - 2 * uc + un(lo, c))) +
                  F * dt;
      v(in_, c) = vc - uc * dt / dx * (vc - vn(in_, w)) - vc * dt / dy * (vc - vn(lo, c)) -
                  dt / (2 * rho * dy) * (p(hi, c) - p(lo, c)) +
                  nu * (dt / (dx * dx) * (vn(in_, e) - 2 * vc + vn(in_, w)) +
                        dt / (dy * dy) * (vn(hi, c) - 2 * vc + vn(lo, c)));
    }
    u(0, all) = 0;
    u(-1, all) = 0;
    v(0, all) = 0;
    v(-1, all) = 0;
    udiff = double((np::sum(u) - np::sum(un)) / np::sum(u));
    stepcount += 1;
  }
  return {{"u", u}, {"v", v}, {"p", p}, {"steps", np::array(stepcount)}};
}

static const Entry entry("channel_flow", channel_flow);
