// operator<<: an array's text, laid out as numpy.array2string does (_formatArray, numpy/core/arrayprint.py).
#include <algorithm>
#include <cstring>
#include <ostream>

#include "numeric/array_state.h"
#include "numeric/format.h"
#include "pilum/array.h"

namespace pilum::numeric {
namespace {

constexpr std::int64_t kThreshold = 1000;  // cells above which only the corners are shown
constexpr std::int64_t kEdge = 3;          // cells of an axis shown at either end
constexpr std::size_t kLineWidth = 75;

// What is shown: an axis that `elides` holds its first and last cells.
struct Shown {
  Shape shape;
  bool elides[kMaxAxes] = {};
};

Shown shown_part(const Shape& shape) {
  Shown shown{shape};
  for (int axis = 0; shape.elements() > kThreshold && axis < shape.rank(); ++axis) {
    shown.elides[axis] = shape[axis] > 2 * kEdge;
    if (shown.elides[axis]) shown.shape[axis] = 2 * kEdge;
  }
  return shown;
}

// The shown cells, row-major, fetched corner by corner: no more than these are moved.
class Corners {
 public:
  Corners(const Call& call, const Array& array, const Shown& shown)
      : call_(call), shown_(shown), size_(itemsize(array.dtype())) {
    cells_.resize(static_cast<std::size_t>(shown.shape.elements()) * size_);
    collect(array, 0, 0);
  }
  const std::vector<std::byte>& cells() const { return cells_; }

 private:
  // `part` is cut to a corner along the axes before `axis`; `high`: bit a is set for the far end of axis a.
  void collect(const Array& part, int axis, unsigned high) {
    if (axis == part.ndim()) return fetch(part, high);
    if (!shown_.elides[axis]) return collect(part, axis + 1, high);
    collect(cut(part, axis, slice({}, kEdge)), axis + 1, high);
    collect(cut(part, axis, slice(-kEdge, {})), axis + 1, high | 1u << axis);
  }

  static Array cut(const Array& array, int axis, const slice& range) {
    Index indices[kMaxAxes] = {all, all, all, all, all, all, all, all};
    indices[axis] = range;
    for (int k = array.ndim(); k < kMaxAxes; ++k) indices[k] = Index();
    return array(indices[0], indices[1], indices[2], indices[3], indices[4], indices[5], indices[6], indices[7]);
  }

  void fetch(const Array& corner, unsigned high) {
    const ArrayState& state = *ArrayAccess::state(corner);
    const std::vector<std::byte> bytes = recorder_of(call_).fetch(state.view(), call_.name, call_.where);
    std::int64_t next = 0;
    place(bytes, state.shape, high, 0, 0, next);
  }

  // Puts the corner's cells where they belong among the shown ones.
  void place(const std::vector<std::byte>& bytes, const Shape& corner, unsigned high, int axis, std::int64_t at,
             std::int64_t& next) {
    if (axis == corner.rank()) {
      std::memcpy(cells_.data() + at * static_cast<std::int64_t>(size_),
                  bytes.data() + next++ * static_cast<std::int64_t>(size_), size_);
      return;
    }
    const std::int64_t first = high >> axis & 1 ? kEdge : 0;
    for (std::int64_t x = 0; x < corner[axis]; ++x) {
      place(bytes, corner, high, axis + 1, at * shown_.shape[axis] + first + x, next);
    }
  }

  const Call& call_;
  const Shown& shown_;
  std::size_t size_;
  std::vector<std::byte> cells_;
};

// Puts the cells' texts between brackets, and breaks lines.
class Layout {
 public:
  Layout(const Shown& shown, std::vector<std::string> words) : shown_(shown), words_(std::move(words)) {}

  std::string text() { return nested(0, " ", kLineWidth); }

 private:
  // From axis `axis` on; lines start with `indent` and end before `width`.
  std::string nested(int axis, const std::string& indent, std::size_t width) {
    const bool row = axis + 1 == shown_.shape.rank();
    std::string text = row ? this->row(axis, indent, width - 1) : rows(axis, indent, width);
    text.replace(0, indent.size(), 1, '[');
    return text += ']';
  }

  std::string row(int axis, const std::string& indent, std::size_t width) {
    std::string done;
    std::string line = indent;
    const auto put = [&](const std::string& word) {
      // A line that holds no word yet is not broken: that would not help.
      if (line.size() + word.size() > width && line.size() > indent.size()) {
        done += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    };
    for (std::int64_t x = 0; x < shown_.shape[axis]; ++x) {
      if (x) line += " ";
      if (x == kEdge && shown_.elides[axis]) {
        put("...");
        line += " ";
      }
      put(words_[next_++]);
    }
    return done + line;
  }

  std::string rows(int axis, const std::string& indent, std::size_t width) {
    const std::string separator(static_cast<std::size_t>(shown_.shape.rank() - axis - 1), '\n');
    std::string done;
    for (std::int64_t x = 0; x < shown_.shape[axis]; ++x) {
      if (x) done += separator;
      if (x == kEdge && shown_.elides[axis]) done += indent + "..." + separator;
      done += indent + nested(axis + 1, indent + " ", width - 1);
    }
    return done;
  }

  const Shown& shown_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Located& located) {
  const Call call{"print", located.where};
  const ArrayState& state = checked_state(call, located.array);
  if (state.shape.elements() == 0) return out << "[]";
  const Shown shown = shown_part(state.shape);
  const Corners corners(call, located.array, shown);
  if (shown.shape.rank() == 0) return out << format_scalar(state.dtype(), corners.cells());
  return out << Layout(shown, format_cells(state.dtype(), corners.cells())).text();
}

}  // namespace pilum::numeric
