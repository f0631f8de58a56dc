// Where NumPy's answers are easily missed: signed zeros, infinities, numbers beyond int64, arrays without axes. Random
// calls of such values, judged by NumPy itself where there is a 2.4; the tests beside this one say the same in
// literals.
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <random>
#include <span>

#include "pilum/functions.h"
#include "runtime/base/dtype_visit.h"
#include "tests/numeric/numeric_test.h"
#include "tests/numeric/numpy_oracle.h"

namespace pilum::numeric {
namespace {

constexpr std::array kFloats = {0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 3.0, 0.1, kInfinity, -kInfinity, 5e-324, 1e300};
constexpr std::array<std::uint64_t, 8> kIntegers = {
    0,         1, (1UL << 53) + 1, (1UL << 60) + (1UL << 36) + 1, INT64_MAX, 1UL << 63, (1UL << 63) + (1UL << 39) + 1,
    UINT64_MAX};

std::string python(double number) {
  if (std::isnan(number)) return "np.nan";
  if (std::isinf(number)) return number < 0 ? "-np.inf" : "np.inf";
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr);
}

class NumPyCorners : public NumericTest {
 protected:
  void SetUp() override {
    if (!numpy_available() || numpy_is_older_than(2, 4)) GTEST_SKIP() << "no Python with NumPy 2.4 here";
  }

  template <class List>
  auto one_of(const List& list) {
    return list[random_() % std::size(list)];
  }
  bool chance(unsigned one_in) { return random_() % one_in == 0; }

  // Of up to two axes, one cell more often than not.
  Array drawn_array(DType dtype, std::string& text, const std::vector<double>& values) {
    Shape shape;
    for (unsigned axes = random_() % 3; axes > 0; --axes) shape.push_back(static_cast<std::int64_t>(random_() % 4));
    std::vector<double> cells(static_cast<std::size_t>(shape.elements()));
    for (double& cell : cells) cell = one_of(values);
    const Array a = array(cells, dtype).reshape(shape);
    text = python_array(bytes_of(a), dtype, shape);
    return a;
  }

  static std::vector<std::byte> bytes_of(const Array& a) {
    return visit_dtype(a.dtype(), [&]<class T>(T) {
      std::vector<std::byte> bytes;
      for (const T cell : a.to_vector<T>()) {
        const auto view = std::as_bytes(std::span(&cell, 1));
        bytes.insert(bytes.end(), view.begin(), view.end());
      }
      return bytes;
    });
  }

  template <class Function>
  void add(const std::string& call, Function function) {
    script_ += "show(lambda: " + call + ")\n";
    calls_.push_back(call);
    try {
      const Array a = function();
      std::string shape;
      for (const char c : to_string(a.shape())) shape += c == ' ' ? "" : std::string(1, c);
      ours_.push_back(std::string(name(a.dtype())) + " " + shape + " " + to_hex(bytes_of(a)));
    } catch (const Error&) {
      ours_.push_back("error");
    }
  }

  void TearDown() override {
    if (IsSkipped()) return;
    const std::vector<std::string> numpy = run_numpy(script_);
    ASSERT_EQ(numpy.size(), ours_.size()) << "seed " << seed_;
    for (std::size_t k = 0; k < ours_.size(); ++k)
      ASSERT_EQ(with_one_nan(ours_[k]), with_one_nan(numpy[k])) << "seed " << seed_ << ", " << calls_[k];
  }

 private:
  const unsigned seed_ = static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed());
  std::mt19937 random_{seed_};
  std::string script_;
  std::vector<std::string> calls_, ours_;
};

const std::vector<double> kCells(kFloats.begin(), kFloats.end());
const std::vector<double> kZeros = {-0.0, -0.0, -0.0, 0.0};
constexpr DType kFloating[] = {float32, float64};

TEST_F(NumPyCorners, Powers) {
  constexpr std::array kExponents = {2.0, 1.0, 0.5, -1.0, 0.0};
  for (int k = 0; k < 300; ++k) {
    std::string text;
    const Array a = drawn_array(one_of(kFloating), text, kCells);
    const double exponent = one_of(kExponents);
    const bool whole = exponent == std::trunc(exponent) && chance(2);
    const std::string number = whole ? std::to_string(static_cast<int>(exponent)) : python(exponent);
    add("np.power(" + text + ", " + number + ")",
        [&] { return whole ? power(a, static_cast<int>(exponent)) : power(a, exponent); });
  }
  for (int k = 0; k < 200; ++k) {
    std::string text;
    const Array a = drawn_array(one_of(std::array{int32, int64, bool_}), text, {0, 1});
    const int exponent = static_cast<int>(one_of(std::array{2, 1, 0, 3, -1, -2}));
    add("np.power(" + text + ", " + std::to_string(exponent) + ")", [&] { return power(a, exponent); });
  }
}

TEST_F(NumPyCorners, Remainders) {
  constexpr std::array kWhole = {0.0, 1.0, -1.0, 3.0, -3.0, -0x1p31, 0x1p31 - 1, -0x1p63, 0x1p62};
  std::vector<double> narrow(kWhole.begin(), kWhole.begin() + 7), wide(kWhole.begin(), kWhole.end());
  std::vector<double> floats(kFloats.begin(), kFloats.end());
  floats.insert(floats.end(), {std::nan(""), 7.5, -1e-20, 1e16});
  for (int k = 0; k < 600; ++k) {
    const DType dtype = one_of(std::array{int32, int64, float32, float64});
    const std::vector<double>& cells = dtype == int32 ? narrow : dtype == int64 ? wide : floats;
    std::string left, right;
    const Array a = drawn_array(dtype, left, cells).reshape({-1}), b = drawn_array(dtype, right, cells).reshape({-1});
    add("np.remainder(" + left + ".reshape(-1, 1), " + right + ".reshape(-1))", [&] { return a(all, newaxis) % b; });
    if (is_floating(dtype)) continue;
    add("~" + left + ".reshape(-1)", [&] { return ~a; });
    add("np.bitwise_xor(" + left + ".reshape(-1, 1), " + right + ".reshape(-1))", [&] { return a(all, newaxis) ^ b; });
  }
}

TEST_F(NumPyCorners, ExactFunctions) {
  using Function = Array (*)(const Operand&);
  constexpr std::pair<const char*, Function> kUnary[] = {
      {"floor", floor},     {"ceil", ceil},       {"trunc", trunc},       {"rint", rint},
      {"signbit", signbit}, {"fabs", fabs},       {"isposinf", isposinf}, {"isneginf", isneginf},
      {"degrees", degrees}, {"radians", radians}, {"square", square},     {"positive", positive}};
  using Binary = Array (*)(const Operand&, const Operand&);
  constexpr std::pair<const char*, Binary> kOfFloats[] = {
      {"floor_divide", floor_divide}, {"fmod", fmod}, {"copysign", copysign}, {"nextafter", nextafter},
      {"heaviside", heaviside},       {"fmin", fmin}, {"fmax", fmax}};
  constexpr std::pair<const char*, Binary> kOfIntegers[] = {
      {"floor_divide", floor_divide}, {"fmod", fmod}, {"gcd", gcd},          {"lcm", lcm}, {"left_shift", left_shift},
      {"right_shift", right_shift},   {"fmin", fmin}, {"copysign", copysign}};
  constexpr std::array kWhole = {0.0,  1.0,  -1.0,    3.0,        -3.0,    12.0,  31.0,
                                 32.0, 64.0, -0x1p31, 0x1p31 - 1, -0x1p63, 0x1p62};
  const std::vector<double> narrow(kWhole.begin(), kWhole.begin() + 11), wide(kWhole.begin(), kWhole.end());
  std::vector<double> floats(kFloats.begin(), kFloats.end());
  floats.insert(floats.end(), {std::nan(""), 7.5, -2.5, -1e-20, 1e16, -1e22});
  for (int k = 0; k < 800; ++k) {
    const DType dtype = one_of(std::array{int32, int64, float32, float64});
    const std::vector<double>& cells = dtype == int32 ? narrow : dtype == int64 ? wide : floats;
    std::string left, right;
    const Array a = drawn_array(dtype, left, cells).reshape({-1}), b = drawn_array(dtype, right, cells).reshape({-1});
    const auto& [name, function] = is_floating(dtype) ? one_of(kOfFloats) : one_of(kOfIntegers);
    // The signs of zeros among equals, and of the least integer's divisors, are not said by NumPy.
    const bool open = (std::string(name) == "fmin" || std::string(name) == "fmax") && is_floating(dtype);
    if (!open) {
      add("np." + std::string(name) + "(" + left + ".reshape(-1, 1), " + right + ".reshape(-1))",
          [&] { return function(a(all, newaxis), b); });
    }
    const auto& [one_name, one] = one_of(kUnary);
    add("np." + std::string(one_name) + "(" + left + ".reshape(-1))", [&] { return one(a); });
    if (dtype == int64) continue;
    const int decimals = one_of(std::array{-2, -1, 0, 1, 2});
    if (dtype == int32) {
      std::string text;
      const Array small = drawn_array(dtype, text, {0, 1, -4, 5, 15, -25, 149, 150});
      add("np.round(" + text + ", " + std::to_string(decimals) + ")", [&] { return round(small, decimals); });
      add("np.left_shift(" + text + ", " + std::to_string(decimals) + ")", [&] { return small << decimals; });
      continue;
    }
    add("np.round(" + left + ".reshape(-1), " + std::to_string(decimals) + ")", [&] { return round(a, decimals); });
    add("np.frexp(" + left + ".reshape(-1))[0]", [&] { return frexp(a).first; });
    add("np.frexp(" + left + ".reshape(-1))[1]", [&] { return frexp(a).second; });
    add("np.modf(" + left + ".reshape(-1))[0]", [&] { return modf(a).first; });
    add("np.modf(" + left + ".reshape(-1))[1]", [&] { return modf(a).second; });
    add("np.nan_to_num(" + left + ".reshape(-1))", [&] { return nan_to_num(a); });
    const int exponent = one_of(std::array{0, 1, -1, 52, -60, 1000, -1074, -1100, 2000, -2000});
    add("np.ldexp(" + left + ".reshape(-1), " + std::to_string(exponent) + ")", [&] { return ldexp(a, exponent); });
    add("np.divmod(" + left + ".reshape(-1, 1), " + right + ".reshape(-1))[0]",
        [&] { return divmod(a(all, newaxis), b).first; });
  }
}

// Both are within an ulp or so of the exact value: shown are those cells alone that differ by more than 4, or in kind.
TEST_F(NumPyCorners, ElementaryFunctions) {
  using Function = Array (*)(const Operand&);
  constexpr std::pair<const char*, Function> kUnary[] = {
      {"exp2", exp2},       {"expm1", expm1},     {"log2", log2},       {"log10", log10}, {"log1p", log1p},
      {"cbrt", cbrt},       {"sin", sin},         {"cos", cos},         {"tan", tan},     {"arcsin", arcsin},
      {"arccos", arccos},   {"arctan", arctan},   {"sinh", sinh},       {"cosh", cosh},   {"tanh", tanh},
      {"arcsinh", arcsinh}, {"arccosh", arccosh}, {"arctanh", arctanh}, {"exp", exp},     {"log", log}};
  using Binary = Array (*)(const Operand&, const Operand&);
  constexpr std::pair<const char*, Binary> kBinary[] = {
      {"hypot", hypot}, {"arctan2", arctan2}, {"logaddexp", logaddexp}, {"logaddexp2", logaddexp2}};
  std::vector<double> cells(kFloats.begin(), kFloats.end());
  cells.insert(cells.end(), {std::nan(""), 7.5, -2.5, -1e-20, 1e16, -1e22, 20.0, 709.0, -745.0, 88.0});
  const auto compare = [&](const std::string& call, const Array& ours) {
    const std::string text = python_array(bytes_of(ours), ours.dtype(), ours.shape());
    add("(lambda x, y: ~((x == y) & (np.signbit(x) == np.signbit(y)) | (np.isnan(x) & np.isnan(y)) | (np.abs(x - y) <= "
        "4 * np.spacing(np.abs(x)))))(" +
            text + ", " + call + ")",
        [&] { return zeros(ours.shape(), bool_); });
  };
  for (int k = 0; k < 500; ++k) {
    std::string left, right;
    const DType dtype = one_of(kFloating);
    const Array a = drawn_array(dtype, left, cells).reshape({-1}), b = drawn_array(dtype, right, cells).reshape({-1});
    const auto& [name, function] = one_of(kUnary);
    compare("np." + std::string(name) + "(" + left + ".reshape(-1))", function(a));
    const auto& [two_name, two] = one_of(kBinary);
    compare("np." + std::string(two_name) + "(" + left + ".reshape(-1, 1), " + right + ".reshape(-1))",
            two(a(all, newaxis), b));
  }
}

TEST_F(NumPyCorners, Sums) {
  using Reduction = Array (*)(const Array&, Axes, bool, std::source_location);
  constexpr std::pair<const char*, Reduction> kReductions[] = {{"sum", sum}, {"prod", prod}, {"mean", mean}};
  for (int k = 0; k < 400; ++k) {
    std::string text;
    const Array a = drawn_array(one_of(kFloating), text, kZeros);
    const auto& [name, call] = one_of(kReductions);
    const int axis = one_of(std::array{0, -1, 1, -2});
    const bool number = chance(2), keepdims = chance(2);
    const Axes axes = chance(3) ? Axes() : number ? Axes(axis) : Axes({axis});
    const std::string given = !axes.given() ? "None"
                              : number      ? std::to_string(axis)
                                            : "(" + std::to_string(axis) + ",)";
    add(std::string("np.") + name + "(" + text + ", axis=" + given + ", keepdims=" + (keepdims ? "True" : "False") +
            ")",
        [&] { return call(a, axes, keepdims, std::source_location::current()); });
  }
}

TEST_F(NumPyCorners, Ranges) {
  constexpr std::optional<DType> kDTypes[] = {{}, {}, float32, float64, bool_};
  for (int k = 0; k < 600; ++k) {
    const double start = one_of(kFloats), step = one_of(kFloats);
    const double stop = chance(4) ? one_of(kFloats) : start + step * one_of(std::array{0.5, 1.0, 2.0, 3.5});
    const double count = std::ceil((stop - start) / step);
    if (count > 100) continue;
    const std::optional<DType> dtype = one_of(kDTypes);
    if (dtype == float32 && std::abs(start) > 1e100) continue;  // inf as a float32: see docs/numpy.md
    const std::string as = dtype ? std::string(", dtype='") + name(*dtype) + "'" : "";
    const std::string list = python(start) + ", " + python(stop) + ", ";
    add("np.arange(" + list + python(step) + as + ")", [&] { return arange(start, stop, step, dtype); });
    const int cells = static_cast<int>(one_of(std::array{0, 1, 2, 3, 6}));
    const bool endpoint = chance(2);
    add("np.linspace(" + list + std::to_string(cells) + ", " + (endpoint ? "True" : "False") + ")",
        [&] { return linspace(start, stop, cells, endpoint); });
  }
  for (int k = 0; k < 200; ++k) {
    const int start = one_of(std::array{0, 1, 2, -1}), stop = one_of(std::array{0, 1, 2, 3}),
              step = one_of(std::array{1, 2, -1});
    add("np.arange(" + std::to_string(start) + ", " + std::to_string(stop) + ", " + std::to_string(step) +
            ", dtype=bool)",
        [&] { return arange(start, stop, step, bool_); });
  }
}

TEST_F(NumPyCorners, LargeIntegers) {
  struct Binary {
    const char* python;
    Array (*call)(const Operand&, const Operand&);
  };
  const Binary kBinaries[] = {
      {"np.add", operator+ },
       {"np.subtract", operator- },
        {"np.multiply", operator* },
         {"np.divide", operator/ },
          {"np.equal", operator== },
           {"np.not_equal", operator!= },
            {"np.less", operator<},
             {"np.less_equal", operator<= },
              {"np.greater", operator> },
               {"np.greater_equal", operator>= }, {"np.minimum", minimum}, {"np.maximum", maximum}};
  for (int k = 0; k < 600; ++k) {
    const Binary& binary = one_of(kBinaries);
    const bool left = chance(2);
    const std::uint64_t number = one_of(kIntegers);
    std::string text;
    const Array a =
        drawn_array(one_of(std::array{int64, float32, float64}), text, {0.0, 1.0, 2.0, -3.0, 0x1p60, 0x1p53});
    const std::string list = left ? std::to_string(number) + ", " + text : text + ", " + std::to_string(number);
    add(std::string(binary.python) + "(" + list + ")",
        [&] { return left ? binary.call(number, a) : binary.call(a, number); });
    add("np.where(np.array(False), " + text + ".astype(np.float32), " + std::to_string(number) + ")",
        [&] { return where(false, a.astype(float32), number); });
    add("np.full(1, " + std::to_string(number) + ", np.float32)", [&] { return full(1, number, float32); });
  }
}

}  // namespace
}  // namespace pilum::numeric
