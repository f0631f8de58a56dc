// The modified Bessel function of order 0, by Chebyshev series: of exp(-x) I0(x) up to 8, of exp(-x) sqrt(x) I0(x) from
// there on.
#include <cmath>
#include <span>

#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "pilum/functions.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

// Coefficients of T0(t), T1(t), …, each the nearest double: of x = 4 (t + 1), and of x = 16 / (t + 1).
constexpr double kNear[] = {
    0x1.5a84e9035a22ap-2,  -0x1.37febc057cd8dp-2,  0x1.5f7ac77ac88c0p-3,  -0x1.84b70342d06eap-4,
    0x1.93e8acea8a32dp-5,  -0x1.84e9ef121b6f0p-6,  0x1.59961f3dde3ddp-7,  -0x1.1b65e201aa849p-8,
    0x1.adc758a12100ep-10, -0x1.2e2fd1f15eb52p-11, 0x1.8b51b74107cabp-13, -0x1.e2b2659c41d5ap-15,
    0x1.13f58be9a2859p-16, -0x1.2866fcba56427p-18, 0x1.2bf24978cf4acp-20, -0x1.1ec638f227f8dp-22,
    0x1.03b769d4d6435p-24, -0x1.beaf68c0b30abp-27, 0x1.6d903a454cb34p-29, -0x1.1d4fe13ae9556p-31,
    0x1.a98becc743c10p-34, -0x1.2fc957a946abcp-36, 0x1.9fe2fe19bd324p-39, -0x1.1164c62ee1af0p-41,
    0x1.59b464b262627p-44, -0x1.a5022c297fbebp-47, 0x1.ee6d893f65ebap-50, -0x1.184eb721ebbb4p-52,
    0x1.33362977da589p-55, -0x1.45cb72134d0efp-58};
constexpr double kFar[] = {
    0x1.9be62aca809cbp-2,   0x1.b998ca2e59049p-9,   0x1.20fa378999e52p-14,  0x1.8412bc101c586p-19,
    0x1.b8007d9cd616ep-23,  0x1.8569280d6d56dp-26,  0x1.d2c64a9225b87p-29,  0x1.0f9ccc0f46f75p-31,
    0x1.a24feabe8004fp-37,  -0x1.1511d08397425p-35, -0x1.d0fd7357e7bf2p-37, -0x1.f904303178d66p-40,
    0x1.94347fa268cecp-41,  0x1.b1c8c6b83c073p-42,  0x1.156ff0d5fc545p-46,  -0x1.75d99cf68bb32p-45,
    -0x1.583fe7e65629ap-47, 0x1.12a919094e6d7p-48,  0x1.fee7da3eafb1fp-50,  -0x1.8aee7d908de38p-52,
    -0x1.4600babd21fe4p-52, 0x1.3f3dd076041cdp-55,  0x1.9be1812d98421p-55,  -0x1.646da66119130p-58,
    -0x1.0adb754ca8b19p-57, 0x1.24d48c789b293p-60,  0x1.604db61ad3debp-60};

// The sum of coefficients times T0(t), T1(t), … by Clenshaw's recurrence.
Array chebyshev_series(const Call& call, std::span<const double> coefficients, const Array& t) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Array twice = here(t) + here(t);
  Array before = here(t) * here(0.0), last = here(before) + here(coefficients.back());
  for (std::size_t k = coefficients.size() - 2; k > 0; --k) {
    const Array product = here(twice) * here(last), rest = here(product) - here(before);
    before = last;
    last = here(rest) + here(coefficients[k]);
  }
  const Array product = here(t) * here(last), rest = here(product) - here(before);
  return here(rest) + here(coefficients[0]);
}

}  // namespace

Array i0(const Operand& a) {
  const Call call{"i0", a.where()};
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const DType dtype = dtype_of_operand(call, a);
  refuse_complex(call, dtype);
  const DType result = is_floating(dtype) ? dtype : DType::Float64;
  const Array given = held(call, a);
  const Array wide = given.dtype() == DType::Float64 ? given : given.astype(DType::Float64, call.where);
  const Array x = numeric::abs(here(wide));
  const Array near = here(x) <= here(8.0);
  const Array near_place = here(minimum(here(x), here(8.0))) * here(0.25);
  const Array near_series = chebyshev_series(call, kNear, here(near_place) - here(1.0));
  const Array far = maximum(here(x), here(8.0));
  const Array far_place = here(16.0) / here(far);
  const Array far_series = chebyshev_series(call, kFar, here(far_place) - here(1.0));
  const Array far_value = here(far_series) / here(sqrt(here(far)));
  const Array series = numeric::where(here(near), here(near_series), here(far_value));
  // e^x overflows before its product with the series does.
  const Array half = exp(here(Array(here(x) * here(0.5))));
  const Array scaled = here(series) * here(half);
  const Array product = here(scaled) * here(half), infinite = isinf(here(x));
  const Array value = numeric::where(here(infinite), here(x), here(product));
  return result == DType::Float64 ? value : value.astype(result, call.where);
}

}  // namespace pilum::numeric
