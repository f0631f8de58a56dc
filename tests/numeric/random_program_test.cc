// Random programs, run by us and by NumPy: dtypes, shapes and cells must agree, and so must what is refused. Linked
// twice: over the naive recorder, which judges numeric/ alone, and over the real runtime.
#include <array>
#include <random>
#include <span>
#include <sstream>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "runtime/base/dtype_visit.h"
#include "tests/numeric/numpy_oracle.h"

namespace pilum::numeric {
namespace {

// Of the programs, one in kShare is run: the real runtime compiles kernels for most of them.
constexpr int kShare = PILUM_PROGRAM_SHARE;

// That a call takes.
constexpr int kMostIndices = 8;

// A value in both languages.
struct Value {
  Array array;
  std::string python;
};

class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {}

  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool chance(int one_in) { return pick(one_in) == 0; }

  Shape shape(int most = 3) {
    Shape shape;
    for (int axes = pick(most + 1); axes > 0; --axes) shape.push_back(chance(12) ? 0 : 1 + pick(4));
    return shape;
  }
  // One that often broadcasts with `other`.
  Shape shape_like(const Shape& other) {
    if (chance(5)) return shape();
    Shape like;
    for (int axis = chance(3) ? pick(other.rank() + 1) : 0; axis < other.rank(); ++axis) {
      like.push_back(chance(4) ? 1 : other[axis]);
    }
    return like;
  }
  DType dtype() { return chance(8) ? float16 : static_cast<DType>(pick(5)); }

  // Small multiples of a half: sums are exact in any order.
  Value leaf(const Shape& shape, DType dtype) {
    std::vector<double> numbers(static_cast<std::size_t>(shape.elements()));
    for (double& number : numbers)
      number = is_floating(dtype) ? (pick(41) - 20) / 2.0 : dtype == bool_ ? pick(2) : pick(41) - 20;
    const Array array = numeric::array(numbers, dtype).reshape(shape);
    return Value{array, python_array(bytes_of_array(array), dtype, shape)};
  }

  // a[…] with random indices, some of them wrong.
  std::vector<Index> indices(const Shape& shape, std::string& python) {
    std::vector<Index> indices;
    int axis = 0;
    python = "[";
    const int count = pick(std::min(shape.rank() + 2, kMostIndices + 1));
    bool ellipsis_used = false;
    for (int k = 0; k < count; ++k) {
      const std::int64_t extent = axis < shape.rank() ? shape[axis] : 2;
      switch (pick(8)) {
        case 0:
          indices.emplace_back(newaxis);
          python += "None, ";
          break;
        case 1:
          if (ellipsis_used && !chance(10)) break;
          ellipsis_used = true;
          indices.emplace_back(ellipsis);
          python += "..., ";
          break;
        case 2:
          ++axis;
          indices.emplace_back(all);
          python += ":, ";
          break;
        case 3: {
          const int room = static_cast<int>(extent) + (chance(6) ? 1 : 0);
          const int position = room == 0 ? 0 : pick(2 * room) - room;
          ++axis;
          indices.emplace_back(position);
          python += std::to_string(position) + ", ";
          break;
        }
        default: ++axis; indices.emplace_back(range(python));
      }
    }
    python += indices.empty() ? "()]" : "]";
    return indices;
  }

  slice range(std::string& python) {
    const auto bound = [&]() -> slice::Bound {
      if (chance(3)) return {};
      const int at = pick(13) - 6;
      return at;
    };
    const slice::Bound start = bound();
    const slice::Bound stop = bound();
    int step = pick(3) == 0 ? pick(7) - 3 : 1;
    if (step == 0 && !chance(4)) step = -1;
    python += (start ? std::to_string(*start) : "") + ":" + (stop ? std::to_string(*stop) : "") + ":" +
              std::to_string(step) + ", ";
    return slice(start, stop, step);
  }

  static Array apply(const Array& a, const std::vector<Index>& list) {
    std::array<Index, kMostIndices> i{};
    std::copy(list.begin(), list.end(), i.begin());
    return a(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7]);
  }

  static std::vector<std::byte> bytes_of_array(const Array& a) {
    return visit_dtype(a.dtype(), [&]<class T>(T) { return bytes_of(a.to_vector<T>()); });
  }

 private:
  template <class T>
  static std::vector<std::byte> bytes_of(const std::vector<T>& cells) {
    std::vector<std::byte> bytes;
    for (const T cell : cells) {
      const auto view = std::as_bytes(std::span(&cell, 1));
      bytes.insert(bytes.end(), view.begin(), view.end());
    }
    return bytes;
  }

  std::mt19937 random_;
};

// What NumPy's show() prints, of what the call gives.
template <class Function>
std::string shown(Function call) {
  try {
    const Array a = call();
    std::string shape;
    for (char c : to_string(a.shape())) {
      if (c != ' ') shape += c;
    }
    return std::string(name(a.dtype())) + " " + shape + " " + to_hex(Program::bytes_of_array(a));
  } catch (const Error&) {
    return "error";
  }
}

// Our lines against NumPy's, with the Python of a line that differs.
class RandomProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!numpy_available()) GTEST_SKIP() << "no Python with NumPy here";
  }
  template <class Function>
  void add(const std::string& python, Function call) {
    python_.push_back(python);
    ours_.push_back(shown(call));
  }
  void compare() {
    std::string script;
    for (const std::string& line : python_) script += line + "\n";
    const std::vector<std::string> expected = run_numpy(script);
    ASSERT_EQ(expected.size(), ours_.size()) << "seed " << seed_;
    std::size_t refused = 0;
    for (std::size_t k = 0; k < ours_.size(); ++k) {
      ASSERT_EQ(with_one_nan(ours_[k]), with_one_nan(expected[k])) << "seed " << seed_ << ", " << python_[k];
      refused += expected[k] == "error";
    }
    EXPECT_GT(ours_.size() - refused, ours_.size() / 3) << "hardly anything was tried";
  }

  Runtime runtime_;
  const unsigned seed_ = static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed());
  Program program_{seed_};

 private:
  std::vector<std::string> python_;
  std::vector<std::string> ours_;
};

struct Binary {
  const char* python;
  Array (*call)(const Operand&, const Operand&);
};

constexpr Binary kBinaries[] = {{"operator.mod", operator% },
                                 {"operator.and_", operator& },
                                  {"operator.or_", operator| },
                                   {"operator.xor", operator^ },
                                    {"operator.add", operator+ },
                                     {"operator.sub", operator- },
                                      {"operator.mul", operator* },
                                       {"operator.truediv", operator/ },
                                        {"np.equal", operator== },
                                         {"np.not_equal", operator!= },
                                          {"operator.lt", operator<},
                                           {"operator.le", operator<= },
                                            {"operator.gt", operator> },
                                             {"operator.ge", operator>= },
                                              {"np.minimum", minimum},
                                              {"np.maximum", maximum},
                                              {"np.floor_divide", floor_divide},
                                              {"np.fmod", fmod},
                                              {"np.left_shift", left_shift},
                                              {"np.right_shift", right_shift},
                                              {"np.gcd", gcd},
                                              {"np.lcm", lcm},
                                              {"np.copysign", copysign},
                                              {"np.heaviside", heaviside},
                                              {"np.nextafter", nextafter},
                                              {"np.hypot", hypot}};

// By NumPy.
bool is_refused(const Binary& binary, const Array& a, const Array& b) {
  return (binary.call == gcd || binary.call == lcm) && a.dtype() == bool_ && b.dtype() == bool_;
}

TEST_F(RandomProgram, BinaryOperationsAgreeWithNumPy) {
  add("import operator; show(lambda: np.int32(0))", [] { return zeros({}, int32); });
  for (int k = 0; k < 1500 / kShare; ++k) {
    const Binary& binary = kBinaries[program_.pick(std::size(kBinaries))];
    const Value a = program_.leaf(program_.shape(), program_.dtype());
    const Value b = program_.leaf(program_.shape_like(a.array.shape()), program_.dtype());
    if (is_refused(binary, a.array, b.array)) continue;
    add("show(lambda: " + std::string(binary.python) + "(" + a.python + ", " + b.python + "))",
        [&] { return binary.call(a.array, b.array); });
  }
  compare();
}

TEST_F(RandomProgram, WeakNumbersAgreeWithNumPy) {
  add("import operator; show(lambda: np.int32(0))", [] { return zeros({}, int32); });
  for (int k = 0; k < 1500 / kShare; ++k) {
    const Binary& binary = kBinaries[program_.pick(14)];  // operators: NumPy 1.24 has weak numbers there
    const Value a = program_.leaf(program_.shape(), program_.dtype());
    if (a.array.ndim() == 0) continue;  // NumPy 1.24 makes them scalars with rules of their own
    const std::int64_t integer = program_.chance(8) ? (1L << 31) + program_.pick(3) - 1 : program_.pick(21) - 10;
    const bool truth = program_.chance(2);
    const int kind = program_.pick(3);
    const bool left = program_.chance(2);
    const bool compares = binary.call(zeros(1, int64), 0).dtype() == bool_;
    if (compares && !std::in_range<std::int32_t>(integer)) continue;  // new in NumPy 2
    const double floating = static_cast<double>(integer) / 4;
    const Operand number = kind == 0 ? Operand(truth) : kind == 1 ? Operand(integer) : Operand(floating);
    if (kind == 0 && is_refused(binary, a.array, a.array)) continue;
    std::ostringstream text;
    text.precision(17);
    if (kind == 0) text << (truth ? "True" : "False");
    if (kind == 1) text << integer;
    if (kind == 2) text << "float(" << floating << ")";
    const std::string arguments = left ? text.str() + ", " + a.python : a.python + ", " + text.str();
    add("show(lambda: " + std::string(binary.python) + "(" + arguments + "))",
        [&] { return left ? binary.call(number, a.array) : binary.call(a.array, number); });
  }
  compare();
}

TEST_F(RandomProgram, IndexingAgreesWithNumPy) {
  for (int k = 0; k < 2000 / kShare; ++k) {
    const Value a = program_.leaf(program_.shape(4), int32);
    std::string first;
    std::string second;
    const std::vector<Index> outer = program_.indices(a.array.shape(), first);
    std::vector<Index> inner;
    try {
      inner = program_.indices(Program::apply(a.array, outer).shape(), second);
      Program::apply(Program::apply(a.array, outer), inner);
    } catch (const ShapeError&) {
      continue;  // more axes than we have
    } catch (const Error&) {
    }
    add("show(lambda: " + a.python + first + second + ")", [&] {
      const Array view = Program::apply(a.array, outer);
      return second.empty() ? view : Program::apply(view, inner);
    });
  }
  compare();
}

TEST_F(RandomProgram, AssignmentAgreesWithNumPy) {
  add(R"(
def assign(a, key, value):
    eval('a' + key)  # an index that is wrong is wrong
    exec('a' + key + ' = value')
    return a
def update(a, sign, value):
    exec('a ' + sign + '= value')
    return a
show(lambda: np.int32(0)))",
      [] { return zeros({}, int32); });
  for (int k = 0; k < 1000 / kShare; ++k) {
    const Value a = program_.leaf(program_.shape(), program_.dtype());
    std::string key;
    const std::vector<Index> indices = program_.indices(a.array.shape(), key);
    Shape view = a.array.shape();
    try {
      view = Program::apply(a.array, indices).shape();
    } catch (const Error&) {
    }
    const Shape shape = view.rank() == 0 ? view : program_.shape_like(view);  // NumPy 1.24 lets one cell take no value
    const Value b = program_.leaf(shape, program_.dtype());
    add("show(lambda: assign(" + a.python + ", '" + key + "', " + b.python + "))", [&] {
      Program::apply(a.array, indices) = b.array;
      return a.array;
    });
  }
  for (int k = 0; k < 1000 / kShare; ++k) {
    Value a = program_.leaf(program_.shape(), program_.dtype());
    const Value b = program_.leaf(program_.shape_like(a.array.shape()), program_.dtype());
    const int sign = program_.pick(8);
    add("show(lambda: update(" + a.python + ", '" + "+-*/%&|^"[sign] + "', " + b.python + "))", [&]() -> Array {
      switch (sign) {
        case 0: return a.array += b.array;
        case 1: return a.array -= b.array;
        case 2: return a.array *= b.array;
        case 3: return a.array /= b.array;
        case 4: return a.array %= b.array;
        case 5: return a.array &= b.array;
        case 6: return a.array |= b.array;
        default: return a.array ^= b.array;
      }
    });
  }
  compare();
}

TEST_F(RandomProgram, ReductionsAgreeWithNumPy) {
  using Reduction = Array (*)(const Array&, Axes, bool, std::source_location);
  constexpr std::pair<const char*, Reduction> kReductions[] = {
      {"sum", sum}, {"prod", prod}, {"min", min}, {"max", max}, {"mean", mean}};
  for (int k = 0; k < 1500 / kShare; ++k) {
    const auto& [name, call] = kReductions[program_.pick(5)];
    Shape shape = program_.shape(4);
    const DType dtype = program_.dtype();
    const Value a = program_.leaf(name == std::string("prod") ? program_.shape(1) : shape, dtype);
    const int rank = a.array.ndim();
    const int count = program_.pick(rank + 2);
    const int axes[2] = {program_.pick(2 * rank + 1) - rank, program_.pick(2 * rank + 1) - rank};
    const bool keepdims = program_.chance(2);
    const bool number = count == 1 && program_.chance(2);
    const Axes given = count == 0   ? Axes()
                       : number     ? Axes(axes[0])
                       : count == 1 ? Axes({axes[0]})
                                    : Axes({axes[0], axes[1]});
    const std::string first = std::to_string(axes[0]);
    const std::string text = count == 0   ? "None"
                             : number     ? first
                             : count == 1 ? "(" + first + ",)"
                                          : "(" + first + ", " + std::to_string(axes[1]) + ")";
    add("show(lambda: np." + std::string(name) + "(" + a.python + ", axis=" + text +
            ", keepdims=" + (keepdims ? "True" : "False") + "))",
        [&] { return call(a.array, given, keepdims, std::source_location::current()); });
  }
  compare();
}

TEST_F(RandomProgram, ShapesAgreeWithNumPy) {
  for (int k = 0; k < 800 / kShare; ++k) {
    const Value a = program_.leaf(program_.shape(4), int64);
    Shape to = program_.shape_like(a.array.shape());
    if (program_.chance(3) && to.rank() > 0) to[program_.pick(to.rank())] = -1;
    const std::string text = to_string(to);
    add("show(lambda: " + a.python + ".reshape(" + text + "))", [&] { return a.array.reshape(to); });
    add("show(lambda: " + a.python + ".T.reshape(" + text + "))", [&] { return a.array.T().reshape(to); });
    Shape wide = program_.shape_like(a.array.shape());
    add("show(lambda: np.broadcast_to(" + a.python + ", " + to_string(wide) + "))",
        [&] { return broadcast_to(a.array, wide); });
  }
  compare();
}

TEST_F(RandomProgram, RangesAgreeWithNumPy) {
  for (int k = 0; k < 500 / kShare; ++k) {
    const int start = program_.pick(41) - 20;
    const int stop = program_.pick(41) - 20;
    const int step = program_.pick(11) - 5;
    const std::string list = std::to_string(start) + ", " + std::to_string(stop) + ", ";
    add("show(lambda: np.arange(" + list + std::to_string(step) + "))", [&] { return arange(start, stop, step); });
    const double half = step / 4.0;
    add("show(lambda: np.arange(" + list + std::to_string(half) + "))", [&] { return arange(start, stop, half); });
    const int count = program_.pick(12) - 1;
    const bool endpoint = program_.chance(2);
    add("show(lambda: np.linspace(" + list + std::to_string(count) + ", " + (endpoint ? "True" : "False") + "))",
        [&] { return linspace(start, stop, count, endpoint); });
  }
  compare();
}

}  // namespace
}  // namespace pilum::numeric
