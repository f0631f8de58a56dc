// A region: a normalised set of disjoint rectangles.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "runtime/base/rect.h"

namespace pilum::partitioner {

// A set of cells. Normal form: slabs along axis 0, as tall as their cross-section allows, each one's cross-section in
// normal form; in ascending order. So equal sets are equal values.
class Region {
 public:
  Region() = default;
  Region(const Rect& rect) {
    if (!rect.empty()) rects_.push_back(rect);
  }
  static Region of(std::vector<Rect> rects);  // may overlap

  bool empty() const { return rects_.empty(); }
  const std::vector<Rect>& rects() const { return rects_; }
  std::int64_t cells() const;
  Rect hull() const;  // of no cells: an empty rectangle
  bool contains(const Rect& rect) const;
  bool contains(const Region& other) const;
  bool overlaps(const Rect& rect) const;

  Region& operator+=(const Region& other);
  Region& operator-=(const Region& other);
  Region& operator-=(const Rect& rect);
  friend Region operator+(Region a, const Region& b) { return a += b; }
  friend Region operator-(Region a, const Region& b) { return a -= b; }
  friend Region operator&(const Region& a, const Region& b);
  friend Region operator&(const Region& a, const Rect& b);
  bool operator==(const Region&) const = default;

 private:
  std::vector<Rect> rects_;
};

// a without b, as disjoint rectangles: at most two an axis.
std::vector<Rect> subtract(const Rect& a, const Rect& b);
Region shift(const Region& region, const Point& offset);
std::string to_string(const Region& region);
std::ostream& operator<<(std::ostream& out, const Region& region);

}  // namespace pilum::partitioner
