// operator<< against NumPy's own texts: fixed ones, and those of the NumPy that is here.
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <sstream>

#include "tests/numeric/numeric_test.h"
#include "tests/numeric/numpy_oracle.h"

namespace pilum::numeric {
namespace {

using Printing = NumericTest;

std::string print(const Array& a) {
  std::ostringstream out;
  out << a;
  return out.str();
}

TEST_F(Printing, AlignsColumns) {
  EXPECT_EQ(print(arange(12).reshape({3, 4})), "[[ 0  1  2  3]\n [ 4  5  6  7]\n [ 8  9 10 11]]");
  EXPECT_EQ(print(array({{1.0, -2.5}, {0.125, 100.0}})), "[[  1.     -2.5  ]\n [  0.125 100.   ]]");
  EXPECT_EQ(print(array({true, false})), "[ True False]");
  EXPECT_EQ(print(array({-1, 100})), "[ -1 100]");
}

TEST_F(Printing, FloatsAreShortestWithEightDigits) {
  EXPECT_EQ(print(array({0.1, 1.0 / 3})), "[0.1        0.33333333]");
  EXPECT_EQ(print(array({0.1f, 1.0f / 3})), "[0.1        0.33333334]");
  EXPECT_EQ(print(array({0.0, -0.0})), "[ 0. -0.]");
}

// NumPy's since 2.3: a float32 has no more digits than these.
TEST_F(Printing, Float32HasAnExponentFromAMillionOn) {
  EXPECT_EQ(print(array({51106368.0f})), "[5.110637e+07]");
  EXPECT_EQ(print(array(51106368.0f)), "5.110637e+07");
  EXPECT_EQ(print(array({1e6f})), "[1.e+06]");
  EXPECT_EQ(print(array(1e6f)), "1e+06");
  EXPECT_EQ(print(array({-1.5e6f, 2e6f})), "[-1.5e+06  2.0e+06]");
  EXPECT_EQ(print(array({999999.5f})), "[999999.5]");
  EXPECT_EQ(print(array(999999.5f)), "999999.5");
  EXPECT_EQ(print(array({1e6})), "[1000000.]");
  EXPECT_EQ(print(array(1e15)), "1000000000000000.0");
}

// The nearest float32 is less than 0.0001, and as near as NumPy looks in an array.
TEST_F(Printing, SmallNumbersUpToTheExponent) {
  EXPECT_EQ(print(array({0.0001f})), "[0.0001]");
  EXPECT_EQ(print(array({0.0001f, 0.09f})), "[0.0001 0.09  ]");
  EXPECT_EQ(print(array({0.0001f, 0.1f})), "[1.e-04 1.e-01]");
  EXPECT_EQ(print(array({0.00009f})), "[9.e-05]");
  EXPECT_EQ(print(array(0.0001f)), "1e-04");
  EXPECT_EQ(print(array(0.0001)), "0.0001");
  EXPECT_EQ(print(array({0.0001, 0.1})), "[0.0001 0.1   ]");
}

TEST_F(Printing, WideRangesAreScientific) {
  EXPECT_EQ(print(array({1e-5, 1.0})), "[1.e-05 1.e+00]");
  EXPECT_EQ(print(array({1.5e100, 2.0})), "[1.5e+100 2.0e+000]");
  EXPECT_EQ(print(array({1e8})), "[1.e+08]");
  EXPECT_EQ(print(array({1.0, 1000.0})), "[   1. 1000.]");
  EXPECT_EQ(print(array({1.0, 1000.5})), "[1.0000e+00 1.0005e+03]");
}

TEST_F(Printing, NanAndInfinities) {
  EXPECT_EQ(print(array({kNan, 1.5})), "[nan 1.5]");
  EXPECT_EQ(print(array({kNan, kInfinity, -kInfinity})), "[ nan  inf -inf]");
  EXPECT_EQ(print(array({-kInfinity, 1.0})), "[-inf   1.]");
}

TEST_F(Printing, WithoutAxesAsAScalar) {
  EXPECT_EQ(print(array(2.0)), "2.0");
  EXPECT_EQ(print(array(0.1f)), "0.1");
  EXPECT_EQ(print(array(1e16)), "1e+16");
  EXPECT_EQ(print(array(1.5e-5)), "1.5e-05");
  EXPECT_EQ(print(array(1.0 / 3)), "0.3333333333333333");
  EXPECT_EQ(print(array(true)), "True");
  EXPECT_EQ(print(array(-7)), "-7");
  EXPECT_EQ(print(array(kNan)), "nan");
}

TEST_F(Printing, EmptyArrays) {
  EXPECT_EQ(print(zeros(0)), "[]");
  EXPECT_EQ(print(zeros({3, 0})), "[]");
}

TEST_F(Printing, LinesBreakAtSeventyFiveColumns) {
  EXPECT_EQ(print(arange(25)), "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24]");
}

TEST_F(Printing, LargeArraysShowTheirCornersAndFetchNoMore) {
  const Array a = arange(10000).reshape({100, 100});
  EXPECT_EQ(print(a),
            "[[   0    1    2 ...   97   98   99]\n"
            " [ 100  101  102 ...  197  198  199]\n"
            " [ 200  201  202 ...  297  298  299]\n"
            " ...\n"
            " [9700 9701 9702 ... 9797 9798 9799]\n"
            " [9800 9801 9802 ... 9897 9898 9899]\n"
            " [9900 9901 9902 ... 9997 9998 9999]]");
  EXPECT_EQ(recorder.cells_fetched(), 36);
  EXPECT_EQ(print(arange(1001)), "[   0    1    2 ...  998  999 1000]");
}

TEST_F(Printing, BlocksAreSeparatedByLines) {
  EXPECT_EQ(print(arange(8).reshape({2, 2, 2})), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
}

// Random arrays of all kinds.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Shape shape() {
    static constexpr std::int64_t kExtents[] = {1, 2, 3, 5, 6, 7, 8, 20, 90};
    Shape shape;
    const int rank = pick(5);
    for (int axis = 0; axis < rank; ++axis) shape.push_back(pick(20) == 0 ? 0 : kExtents[pick(rank > 2 ? 7 : 9)]);
    if (pick(8) == 0) shape = Shape{pick(2000)};
    return shape;
  }
  DType dtype() { return static_cast<DType>(pick(5)); }

  template <class T>
  std::vector<T> cells(std::size_t count) {
    std::vector<T> values(count);
    const int style = pick(8);
    for (T& value : values) value = one<T>(style);
    return values;
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  template <class T>
  T one(int style) {
    if constexpr (std::is_integral_v<T>) {
      const std::uint64_t bits = (std::uint64_t{random_()} << 32 | random_()) >> (style % 7 * 10);
      return static_cast<T>(style == 6 ? pick(2) : bits);
    } else {
      if (style % 2 == 1 && pick(12) == 0) {
        constexpr T kSpecial[] = {std::numeric_limits<T>::quiet_NaN(),  std::numeric_limits<T>::infinity(),
                                  -std::numeric_limits<T>::infinity(),  T(-0.0),
                                  std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max()};
        return kSpecial[pick(style == 1 ? 4 : 6)];
      }
      switch (style) {
        case 0: return static_cast<T>(pick(100) - 50);
        case 1: return static_cast<T>(pick(1000)) / 8;
        case 2: return static_cast<T>(uniform());
        case 3: return static_cast<T>(std::ldexp(uniform(), pick(60) - 30));
        case 4: return static_cast<T>(std::ldexp(1.0, pick(200) - 120));
        case 5: return static_cast<T>(pick(20000)) / 1000;
        case 7: return static_cast<T>(70'000'000 + pick(29'000'000));  // more digits than float32 needs
        default: return static_cast<T>(500 + 400 * uniform());
      }
    }
  }

  std::mt19937 random_;
};

template <class T>
std::pair<Array, std::string> random_array(Generator& generator, const Shape& shape) {
  const std::vector<T> values = generator.cells<T>(static_cast<std::size_t>(shape.elements()));
  const auto view = std::as_bytes(std::span(values));
  const std::vector<std::byte> bytes(view.begin(), view.end());
  return {array(std::span(values)).reshape(shape), "text(" + python_array(bytes, dtype_of<T>, shape) + ")\n"};
}

std::pair<Array, std::string> random_array(Generator& generator) {
  const Shape shape = generator.shape();
  switch (generator.dtype()) {
    case DType::Int32: return random_array<std::int32_t>(generator, shape);
    case DType::Int64: return random_array<std::int64_t>(generator, shape);
    case DType::Float32: return random_array<float>(generator, shape);
    case DType::Float64: return random_array<double>(generator, shape);
    default: {
      auto [integers, script] = random_array<std::int32_t>(generator, shape);
      script.insert(script.size() - 2, " != 0");
      return {integers != 0, script};
    }
  }
}

bool has_large_cells(const Array& a) {
  for (const float cell : a.to_vector<float>()) {
    if (std::isfinite(cell) && std::abs(cell) >= 1e6f) return true;
  }
  return false;
}

TEST_F(Printing, AgreesWithNumPyOnRandomArrays) {
  if (!numpy_available()) GTEST_SKIP() << "no Python with NumPy here";
  const unsigned seed = testing::UnitTest::GetInstance()->random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Generator generator(seed);
  std::string script;
  std::vector<std::string> ours;
  const bool old = numpy_is_older_than(2, 3);
  for (int k = 0; k < 1500; ++k) {
    const auto [array, call] = random_array(generator);
    if (old && array.dtype() == float32 && has_large_cells(array)) continue;  // in exponents since then
    script += call;
    std::string text = print(array);
    for (char& c : text) c = c == '\n' ? '|' : c;
    ours.push_back(text);
  }
  const std::vector<std::string> expected = run_numpy(script);
  ASSERT_EQ(expected.size(), ours.size());
  for (std::size_t k = 0; k < ours.size(); ++k) ASSERT_EQ(ours[k], expected[k]) << "array " << k << ", seed " << seed;
}

}  // namespace
}  // namespace pilum::numeric
