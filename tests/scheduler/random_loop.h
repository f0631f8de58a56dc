// Random loops: one body, again and again, over the same arrays, with other numbers each time.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "pilum/pilum.h"

namespace pilum::scheduler {

// Everything but the numbers is drawn when the loop is made. Arrays 0 to 2 have one axis, 3 to 5 are squares.
class RandomLoop {
 public:
  explicit RandomLoop(std::uint64_t seed) : random_(seed) {
    const std::int64_t cells = 30 + pick(40), side = 7 + pick(6);
    for (int i = 0; i < 3; ++i) arrays_.push_back(numeric::full({cells}, static_cast<double>(i + 1)));
    for (int i = 0; i < 3; ++i) arrays_.push_back(numeric::full({side, side}, static_cast<double>(i + 1)));
    const int count = 1 + pick(4);
    for (int i = 0; i < count; ++i) draw();
  }
  void body(int time) {
    for (const Statement& statement : statements_) statement(0.5 + 0.125 * time);
  }
  const std::vector<numeric::Array>& arrays() const { return arrays_; }

 private:
  using Array = numeric::Array;
  using slice = numeric::slice;
  using Statement = std::function<void(double)>;

  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  void draw() {
    const auto line = [this]() -> Array& { return arrays_[static_cast<std::size_t>(pick(3))]; };
    const auto square = [this]() -> Array& { return arrays_[static_cast<std::size_t>(3 + pick(3))]; };
    Array &a = line(), &b = line(), &m = square(), &n = square();
    const std::int64_t by = 1 + pick(3);
    const slice low(0, -2 * by), middle(by, -by), high(2 * by, {});
    switch (pick(12)) {
      case 0: return add([&a](double x) { a *= x; });
      case 1: return add([&a, &b, middle, low](double x) { a(middle) = a(middle) + x * b(low); });
      case 2: return add([&a, middle, low, high](double x) { a(middle) = x * (a(middle) + a(low) - a(high)); });
      case 3: return add([&a, &b](double) { std::swap(a, b); });
      case 4: return add([&a, &b](double x) { b(numeric::all) = (a + b) * x; });
      case 5: return add([&a, &b](double x) { b(numeric::all) = a - x * numeric::sum(a); });
      case 6: return add([&a, &b](double x) { b(numeric::all) = x * a(slice({}, {}, -1)); });
      case 7: return add([&m, &n](double x) { m(numeric::all, numeric::all) = x + n.T(); });
      case 8: return add([&a](double x) { a(slice(1, {}, 2)) = x * a(slice(0, -1, 2))(slice(0, a.shape()[0] / 2)); });
      case 9: return add([&m](double x) { m(numeric::all, 0) = x * numeric::sum(m, 1); });
      case 10:
        return add([&a](double x) {
          const Array fresh = x * a;
          a = fresh;
        });
      default:
        return add([&m, &n](double x) {
          m(slice(1, -1), slice(1, -1)) = n(slice(1, -1), slice(1, -1)) + x * n(slice(0, -2), slice(2, {}));
        });
    }
  }
  void add(Statement statement) { statements_.push_back(std::move(statement)); }

  std::mt19937_64 random_;
  std::vector<Array> arrays_;
  std::vector<Statement> statements_;
};

}  // namespace pilum::scheduler
