// The flow in a box under a moving lid: Poisson's equation for the pressure in each step, by rounds of Jacobi.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static const slice in_(1, -1), lo(0, -2), hi(2, {});

static void build_up_b(np::Array& b, double rho, double dt, const np::Array& u, const np::Array& v, double dx,
                       double dy) {
  b(in_, in_) = rho * (1 / dt * ((u(in_, hi) - u(in_, lo)) / (2 * dx) + (v(hi, in_) - v(lo, in_)) / (2 * dy)) -
                       np::square((u(in_, hi) - u(in_, lo)) / (2 * dx)) -
                       2 * ((u(hi, in_) - u(lo, in_)) / (2 * dy) * (v(in_, hi) - v(in_, lo)) / (2 * dx)) -
                       np::square((v(hi, in_) - v(lo, in_)) / (2 * dy)));
}

static void pressure_poisson(np::Array& p, double dx, double dy, const np::Array& b, std::int64_t nit) {
  for (std::int64_t q = 0; q < nit; ++q) {
    const np::Array pn = p.copy();
    p(in_, in_) = ((pn(in_, hi) + pn(in_, lo)) * (dy * dy) + (pn(hi, in_) + pn(lo, in_)) * (dx * dx)) /
                      (2 * (dx * dx + dy * dy)) -
                  dx * dx * dy * dy / (2 * (dx * dx + dy * dy)) * b(in_, in_);
    p(all, -1) = p(all, -2);
    p(0, all) = p(1, all);
    p(all, 0) = p(all, 1);
    p(-1, all) = 0;
  }
}

static Outputs cavity_flow(Inputs& in) {
  np::Array u = in["u"], v = in["v"], p = in["p"];
  const double dx = in.real("dx"), dy = in.real("dy"), dt = in.real("dt"), rho = in.real("rho"), nu = in.real("nu");
  np::Array b = np::zeros(u.shape());
  for (std::int64_t n = 0; n < in.whole("nt"); ++n) {
    const np::Array un = u.copy(), vn = v.copy();
    build_up_b(b, rho, dt, u, v, dx, dy);
    pressure_poisson(p, dx, dy, b, in.whole("nit"));
    const np::Array uc = un(in_, in_), vc = vn(in_, in_);
    u(in_, in_) = uc - uc * dt / dx * (uc - un(in_, lo)) - vc * dt / dy * (uc - un(lo, in_)) -
                  dt / (2 * rho * dx) * (p(in_, hi) - p(in_, lo)) +
                  nu * (dt / (dx * dx) * (un(in_, hi) - 2 * uc + un(in_, lo)) +
                        dt / (dy * dy) * (un(hi, in_) - 2 * uc + un(lo, in_)));
    v(in_, in_) = vc - uc * dt / dx * (vc - vn(in_, lo)) - vc * dt / dy * (vc - vn(lo, in_)) -
                  dt / (2 * rho * dy) * (p(hi, in_) - p(lo, in_)) +
                  nu * (dt / (dx * dx) * (vn(in_, hi) - 2 * vc + vn(in_, lo)) +
                        dt / (dy * dy) * (vn(hi, in_) - 2 * vc + vn(lo, in_)));
    u(0, all) = 0;
    u(all, 0) = 0;
    u(all, -1) = 0;
    u(-1, all) = 1;
    v(0, all) = 0;
    v(-1, all) = 0;
    v(all, 0) = 0;
    v(all, -1) = 0;
  }
  return {{"u", u}, {"v", v}, {"p", p}};
}

static const Entry entry("cavity_flow", cavity_flow);
