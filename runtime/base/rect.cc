#include "runtime/base/rect.h"

#include <ostream>

namespace pilum {

std::string to_string(const Rect& rect) {
  std::string text = "[";
  for (int axis = 0; axis < rect.rank; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    text += (axis ? ", " : "") + std::to_string(rect.lo[k]) + ":" + std::to_string(rect.hi[k]);
  }
  return text + "]";
}

std::string to_string(const Point& point) {
  std::string text = "(";
  for (int axis = 0; axis < point.rank; ++axis) text += (axis ? ", " : "") + std::to_string(point[axis]);
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Rect& rect) {
  return out << to_string(rect);
}
std::ostream& operator<<(std::ostream& out, const Point& point) {
  return out << to_string(point);
}

}  // namespace pilum
