#include "partitioner/region.h"

#include <ostream>

namespace pilum::partitioner {
namespace {

void append_difference(Rect a, const Rect& b, std::vector<Rect>& out) {
  if (!pilum::overlaps(a, b)) {
    out.push_back(a);
    return;
  }
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(a.rank); ++axis) {
    if (a.lo[axis] < b.lo[axis]) {
      Rect below = a;
      below.hi[axis] = b.lo[axis];
      out.push_back(below);
      a.lo[axis] = b.lo[axis];
    }
    if (a.hi[axis] > b.hi[axis]) {
      Rect above = a;
      above.lo[axis] = b.hi[axis];
      out.push_back(above);
      a.hi[axis] = b.hi[axis];
    }
  }
}

bool same_section(const Rect& a, const Rect& b, std::size_t axis) {
  for (auto k = axis + 1; k < static_cast<std::size_t>(a.rank); ++k) {
    if (a.lo[k] != b.lo[k] || a.hi[k] != b.hi[k]) return false;
  }
  return true;
}

// The normal form of rects, which agree on the axes before `axis`.
std::vector<Rect> normalise(const std::vector<Rect>& rects, std::size_t axis) {
  if (rects.size() <= 1 || axis == static_cast<std::size_t>(rects.front().rank)) {
    return {rects.begin(), rects.begin() + (rects.empty() ? 0 : 1)};
  }
  std::vector<std::int64_t> cuts;
  for (const Rect& rect : rects) {
    cuts.push_back(rect.lo[axis]);
    cuts.push_back(rect.hi[axis]);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  std::vector<Rect> result;
  std::size_t previous = 0;  // where the previous slab starts in result
  std::vector<Rect> slab;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    slab.clear();
    for (const Rect& rect : rects) {
      if (rect.lo[axis] > cuts[i] || rect.hi[axis] < cuts[i + 1]) continue;
      slab.push_back(rect);
      slab.back().lo[axis] = cuts[i];
      slab.back().hi[axis] = cuts[i + 1];
    }
    const std::vector<Rect> section = normalise(slab, axis + 1);
    const std::size_t start = result.size();
    bool merges = start > previous && start - previous == section.size();
    for (std::size_t j = 0; merges && j < section.size(); ++j) {
      merges = result[previous + j].hi[axis] == cuts[i] && same_section(result[previous + j], section[j], axis);
    }
    if (merges) {
      for (std::size_t j = 0; j < section.size(); ++j) result[previous + j].hi[axis] = cuts[i + 1];
    } else if (!section.empty()) {
      previous = start;
      result.insert(result.end(), section.begin(), section.end());
    }
  }
  return result;
}

}  // namespace

Region Region::of(std::vector<Rect> rects) {
  std::erase_if(rects, [](const Rect& rect) { return rect.empty(); });
  Region region;
  region.rects_ = normalise(rects, 0);
  return region;
}

std::int64_t Region::cells() const {
  std::int64_t sum = 0;
  for (const Rect& rect : rects_) sum += rect.cells();
  return sum;
}

Rect Region::hull() const {
  if (rects_.empty()) return Rect{1};
  Rect around = rects_.front();
  for (const Rect& rect : rects_) around = pilum::hull(around, rect);
  return around;
}

bool Region::contains(const Rect& rect) const {
  if (rect.empty()) return true;
  for (const Rect& mine : rects_) {
    if (mine.contains(rect)) return true;
  }
  if (rects_.size() <= 1) return false;
  std::int64_t common = 0;
  for (const Rect& mine : rects_) common += pilum::overlaps(mine, rect) ? intersect(mine, rect).cells() : 0;
  return common == rect.cells();
}

bool Region::contains(const Region& other) const {
  for (const Rect& rect : other.rects_) {
    if (!contains(rect)) return false;
  }
  return true;
}

bool Region::overlaps(const Rect& rect) const {
  for (const Rect& mine : rects_) {
    if (pilum::overlaps(mine, rect)) return true;
  }
  return false;
}

Region& Region::operator+=(const Region& other) {
  if (other.empty() || contains(other)) return *this;
  if (empty() || other.contains(*this)) return *this = other;
  std::vector<Rect> both = rects_;
  both.insert(both.end(), other.rects_.begin(), other.rects_.end());
  rects_ = normalise(both, 0);
  return *this;
}

Region& Region::operator-=(const Rect& rect) {
  if (rect.empty() || !overlaps(rect)) return *this;
  std::vector<Rect> left;
  for (const Rect& mine : rects_) append_difference(mine, rect, left);
  rects_ = normalise(left, 0);
  return *this;
}

Region& Region::operator-=(const Region& other) {
  for (const Rect& rect : other.rects_) *this -= rect;
  return *this;
}

Region operator&(const Region& a, const Rect& b) {
  if (a.rects_.size() == 1) return Region(intersect(a.rects_.front(), b));
  std::vector<Rect> common;
  for (const Rect& rect : a.rects_) {
    if (pilum::overlaps(rect, b)) common.push_back(intersect(rect, b));
  }
  Region result;
  result.rects_ = normalise(common, 0);
  return result;
}

Region operator&(const Region& a, const Region& b) {
  if (b.rects_.size() == 1) return a & b.rects_.front();
  std::vector<Rect> common;
  for (const Rect& rect : b.rects_) {
    for (const Rect& mine : a.rects_) {
      if (pilum::overlaps(rect, mine)) common.push_back(intersect(rect, mine));
    }
  }
  Region result;
  result.rects_ = normalise(common, 0);
  return result;
}

std::vector<Rect> subtract(const Rect& a, const Rect& b) {
  std::vector<Rect> rest;
  append_difference(a, b, rest);
  return rest;
}

Region shift(const Region& region, const Point& offset) {
  std::vector<Rect> moved = region.rects();
  for (Rect& rect : moved) rect = pilum::shift(rect, offset);
  return Region::of(std::move(moved));
}

std::string to_string(const Region& region) {
  std::string text = "{";
  for (const Rect& rect : region.rects()) text += (text.size() > 1 ? " " : "") + pilum::to_string(rect);
  return text + "}";
}

std::ostream& operator<<(std::ostream& out, const Region& region) {
  return out << to_string(region);
}

}  // namespace pilum::partitioner
