// Every binary operation over every pair of dtypes, on their extreme values, against NumPy.
#include <cstring>
#include <iterator>
#include <limits>
#include <span>

#include "pilum/functions.h"
#include "runtime/base/dtype_visit.h"
#include "tests/numeric/numeric_test.h"
#include "tests/numeric/numpy_oracle.h"

namespace pilum::numeric {
namespace {

template <class T>
std::vector<T> extremes() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    const auto minus_one = static_cast<T>(-1);
    return {0,
            1,
            2,
            7,
            minus_one,
            Limits::max(),
            Limits::lowest(),
            static_cast<T>(Limits::max() - 1),
            static_cast<T>(Limits::max() / 2 + 1)};
  } else {
    return {
        T(0), T(1), T(-1), T(2.5), T(-7.5), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()};
  }
}

std::vector<std::byte> bytes_of(const Array& a) {
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
std::string shown(Function call) {
  try {
    const Array a = call();
    std::string shape;
    for (const char c : to_string(a.shape())) {
      if (c != ' ') shape += c;
    }
    return std::string(name(a.dtype())) + " " + shape + " " + to_hex(bytes_of(a));
  } catch (const Error&) {
    return "error";
  }
}

class NumPyDtypes : public NumericTest {
 protected:
  void SetUp() override {
    if (!numpy_available()) GTEST_SKIP() << "no Python with NumPy here";
    is_old_ = numpy_is_older_than(2, 0);
  }
  template <class Function>
  void add(const std::string& python, Function call) {
    python_.push_back(python);
    ours_.push_back(shown(call));
  }
  void compare() {
    std::string script;
    for (const std::string& line : python_) script += "show(lambda: " + line + ")\n";
    const std::vector<std::string> expected = run_numpy(script);
    ASSERT_EQ(expected.size(), ours_.size());
    for (std::size_t k = 0; k < ours_.size(); ++k) {
      EXPECT_EQ(with_one_nan(ours_[k]), with_one_nan(expected[k])) << python_[k];
    }
  }

  static Array extremes_of(DType dtype, const Shape& shape) {
    return visit_dtype(dtype, [&]<class T>(T) { return array(extremes<T>()).reshape(shape); });
  }
  static std::string python_of(const Array& a) { return python_array(bytes_of(a), a.dtype(), a.shape()); }

  bool is_old_ = false;

 private:
  std::vector<std::string> python_, ours_;
};

struct Binary {
  const char* python;
  Array (*call)(const Operand&, const Operand&);
};
constexpr Binary kArithmetic[] = {
    {"np.add", operator+ },
     {"np.subtract", operator- },
      {"np.multiply", operator* },
       {"np.divide", operator/ },
        {"np.remainder", operator% }, {"np.floor_divide", floor_divide}, {"np.fmod", fmod}, {"np.minimum", minimum},
         {"np.maximum", maximum}, {"np.fmin", fmin}, {"np.fmax", fmax},
         {"np.bitwise_and", operator& },
          {"np.bitwise_or", operator| },
           {"np.bitwise_xor", operator^ },
            {"np.left_shift", operator<< },
             {"np.right_shift", operator>> },
              {"np.gcd", gcd},
              {"np.lcm", lcm},
              {"np.copysign", copysign},
              {"np.heaviside", heaviside}};
constexpr Binary kComparisons[] = {
    {"np.equal", operator== },
     {"np.not_equal", operator!= },
      {"np.less", operator<},
       {"np.less_equal", operator<= }, {"np.greater", operator> }, {"np.greater_equal", operator>= } };

TEST_F(NumPyDtypes, ArithmeticOfAllPairsAgrees) {
  for (const DType left : kDTypes) {
    for (const DType right : kDTypes) {
      const Array a = extremes_of(left, {-1, 1}), b = extremes_of(right, {-1});
      for (const Binary& binary : kArithmetic) {
        const bool divisors = binary.call == gcd || binary.call == lcm;
        if (divisors && left == bool_ && right == bool_) continue;  // NumPy refuses them
        add(std::string(binary.python) + "(" + python_of(a) + ", " + python_of(b) + ")",
            [&] { return binary.call(a, b); });
      }
    }
  }
  compare();
}

TEST_F(NumPyDtypes, ComparisonsOfAllPairsAgree) {
  for (const DType left : kDTypes) {
    for (const DType right : kDTypes) {
      const bool signs = promote(left, right) == float64 && is_integer(left) && is_integer(right);
      if (signs && is_old_) continue;  // exact since NumPy 2
      const Array a = extremes_of(left, {-1, 1}), b = extremes_of(right, {-1});
      for (const Binary& binary : kComparisons) {
        add(std::string(binary.python) + "(" + python_of(a) + ", " + python_of(b) + ")",
            [&] { return binary.call(a, b); });
      }
    }
  }
  compare();
}

TEST_F(NumPyDtypes, PowersOfIntegersAgree) {
  for (const DType left : kDTypes) {
    for (const DType right : kDTypes) {
      if (is_floating(promote(left, right)) || is_complex(promote(left, right))) continue;  // the C library's
      const Array a = extremes_of(left, {-1, 1}), b = array({0, 1, 2, 5, 63}).astype(right);
      add("np.power(" + python_of(a) + ", " + python_of(b) + ")", [&] { return power(a, b); });
    }
  }
  compare();
}

TEST_F(NumPyDtypes, PromotionsAgree) {
  for (const DType left : kDTypes) {
    for (const DType right : kDTypes) {
      add("np.zeros(0, np.promote_types('" + std::string(name(left)) + "', '" + name(right) + "'))",
          [&] { return zeros({0}, promote(left, right)); });
    }
  }
  compare();
}

TEST_F(NumPyDtypes, CastsOfIntegersAgree) {
  for (const DType from : kDTypes) {
    if (is_floating(from)) continue;
    for (const DType to : kDTypes) {
      const Array a = extremes_of(from, {-1});
      add(python_of(a) + ".astype('" + name(to) + "')", [&] { return a.astype(to); });
    }
  }
  compare();
}

TEST_F(NumPyDtypes, WeakNumbersAgree) {
  if (is_old_) GTEST_SKIP() << "NumPy 2's rules for numbers out of range";
  for (const DType dtype : kDTypes) {
    const Array a = extremes_of(dtype, {-1});
    for (const std::int64_t number : {0L, 1L, -1L, 127L, 128L, -129L, 255L, 256L, 65536L, 1L << 31, 1L << 32}) {
      for (const Binary& binary : kArithmetic) {
        if (binary.call == minimum || binary.call == maximum) continue;  // the same rules
        add(std::string(binary.python) + "(" + python_of(a) + ", " + std::to_string(number) + ")",
            [&] { return binary.call(a, number); });
      }
      for (const Binary& binary : kComparisons) {
        add(std::string(binary.python) + "(" + std::to_string(number) + ", " + python_of(a) + ")",
            [&] { return binary.call(number, a); });
      }
    }
  }
  compare();
}

TEST_F(NumPyDtypes, FoldsAgree) {
  for (const DType dtype : kDTypes) {
    if (is_floating(dtype)) continue;
    const Array a = extremes_of(dtype, {-1});
    add("np.sum(" + python_of(a) + ")", [&] { return sum(a); });
    add("np.prod(" + python_of(a) + "[1:4])", [&] { return prod(a(slice(1, 4))); });
    add("np.min(" + python_of(a) + ")", [&] { return min(a); });
    add("np.max(" + python_of(a) + ")", [&] { return max(a); });
  }
  compare();
}

}  // namespace
}  // namespace pilum::numeric
