#include "partitioner/region.h"

#include <algorithm>
#include <array>
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

// Goes along an axis through rectangles that may overlap. Each is looked at where it begins, where it ends, and in the
// slabs between.
class Sweep {
 public:
  Sweep(const std::vector<Rect>& rects, std::size_t axis) : axis_(axis) {
    pending_.reserve(rects.size());
    for (const Rect& rect : rects) pending_.push_back(&rect);
    const auto begins_before = [axis](const Rect* a, const Rect* b) { return a->lo[axis] < b->lo[axis]; };
    if (!std::is_sorted(pending_.begin(), pending_.end(), begins_before)) {
      std::sort(pending_.begin(), pending_.end(), begins_before);
    }
  }
  // What lies between two neighbouring cuts, cut to them. Slabs are asked for in ascending order.
  std::vector<Rect> slab(std::int64_t lo, std::int64_t hi) {
    std::erase_if(reached_, [&](const Rect* rect) { return rect->hi[axis_] <= lo; });
    for (; next_ < pending_.size() && pending_[next_]->lo[axis_] <= lo; ++next_) reached_.push_back(pending_[next_]);
    std::vector<Rect> cut;
    cut.reserve(reached_.size());
    for (const Rect* rect : reached_) {
      cut.push_back(*rect);
      cut.back().lo[axis_] = lo;
      cut.back().hi[axis_] = hi;
    }
    return cut;
  }

 private:
  std::size_t axis_;
  std::vector<const Rect*> pending_, reached_;  // pending_ from next_ on begin later
  std::size_t next_ = 0;
};

std::vector<std::int64_t> cuts_of(const std::vector<Rect>& a, const std::vector<Rect>& b, std::size_t axis) {
  std::vector<std::int64_t> cuts;
  cuts.reserve(2 * (a.size() + b.size()));
  for (const auto* rects : {&a, &b}) {
    for (const Rect& rect : *rects) {
      cuts.push_back(rect.lo[axis]);
      cuts.push_back(rect.hi[axis]);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

// Adds the section of the slab between two cuts, or makes the slab before it taller where that has the same section and
// starts at `previous`.
void append_slab(std::vector<Rect>& slabs, std::size_t& previous, const std::vector<Rect>& section, std::size_t axis) {
  if (section.empty()) return;
  bool merges = slabs.size() > previous && slabs.size() - previous == section.size();
  for (std::size_t j = 0; merges && j < section.size(); ++j) {
    const Rect& below = slabs[previous + j];
    merges = below.hi[axis] == section[j].lo[axis] && same_section(below, section[j], axis);
  }
  if (!merges) {
    previous = slabs.size();
    slabs.insert(slabs.end(), section.begin(), section.end());
    return;
  }
  for (std::size_t j = 0; j < section.size(); ++j) slabs[previous + j].hi[axis] = section[j].hi[axis];
}

enum class Keep : std::uint8_t { Either, Both, FirstAlone };  // the cells of two sets

constexpr std::size_t kFewSpans = 8;

// The same along the last axis, on which alone the rectangles differ, where they are few: without taking memory on the
// way.
std::vector<Rect> combine_spans(const std::vector<Rect>& a, const std::vector<Rect>& b, Keep keep, std::size_t axis) {
  std::array<std::int64_t, 2 * kFewSpans> cuts;
  std::size_t count = 0;
  for (const auto* rects : {&a, &b}) {
    for (const Rect& rect : *rects) {
      cuts[count++] = rect.lo[axis];
      cuts[count++] = rect.hi[axis];
    }
  }
  std::sort(cuts.begin(), cuts.begin() + static_cast<std::ptrdiff_t>(count));
  const auto covers = [axis](const std::vector<Rect>& rects, std::int64_t lo, std::int64_t hi) {
    return std::any_of(rects.begin(), rects.end(),
                       [=](const Rect& rect) { return rect.lo[axis] <= lo && hi <= rect.hi[axis]; });
  };
  std::vector<Rect> spans;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const std::int64_t lo = cuts[i], hi = cuts[i + 1];
    if (lo == hi) continue;
    const bool in_a = covers(a, lo, hi), in_b = covers(b, lo, hi);
    if (!(keep == Keep::Either ? in_a || in_b : keep == Keep::Both ? in_a && in_b : in_a && !in_b)) continue;
    if (spans.empty() || spans.back().hi[axis] != lo) {
      spans.push_back(a.empty() ? b.front() : a.front());
      spans.back().lo[axis] = lo;
    }
    spans.back().hi[axis] = hi;
  }
  return spans;
}

// The normal form of what is kept. The rectangles of each set may overlap, and all agree on the axes before `axis`.
std::vector<Rect> combine(const std::vector<Rect>& a, const std::vector<Rect>& b, Keep keep, std::size_t axis = 0) {
  if (a.empty() && (b.empty() || keep != Keep::Either)) return {};
  if (b.empty() && keep == Keep::Both) return {};
  if (a.size() + b.size() == 1) return a.empty() ? b : a;
  const Rect& one = a.empty() ? b.front() : a.front();
  if (axis == static_cast<std::size_t>(one.rank)) {
    return keep == Keep::FirstAlone && !b.empty() ? std::vector<Rect>{} : std::vector<Rect>{one};
  }
  if (axis + 1 == static_cast<std::size_t>(one.rank) && a.size() + b.size() <= kFewSpans)
    return combine_spans(a, b, keep, axis);
  const std::vector<std::int64_t> cuts = cuts_of(a, b, axis);
  Sweep of_a(a, axis), of_b(b, axis);
  std::vector<Rect> slabs;
  std::size_t previous = 0;  // where the last slab starts
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const std::vector<Rect> in_a = of_a.slab(cuts[i], cuts[i + 1]), in_b = of_b.slab(cuts[i], cuts[i + 1]);
    append_slab(slabs, previous, combine(in_a, in_b, keep, axis + 1), axis);
  }
  return slabs;
}

}  // namespace

Region Region::of(std::vector<Rect> rects) {
  std::erase_if(rects, [](const Rect& rect) { return rect.empty(); });
  Region region;
  region.rects_ = combine(rects, {}, Keep::Either);
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
  constexpr std::size_t kFew = 256;  // pairs, which are looked at one by one in less time
  if (rects_.size() * other.rects_.size() > kFew) return combine(other.rects_, rects_, Keep::FirstAlone).empty();
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
  rects_ = combine(rects_, other.rects_, Keep::Either);
  return *this;
}

Region& Region::operator-=(const Rect& rect) {
  if (rect.empty() || !overlaps(rect)) return *this;
  std::vector<Rect> left;
  for (const Rect& mine : rects_) append_difference(mine, rect, left);
  rects_ = combine(left, {}, Keep::Either);
  return *this;
}

Region& Region::operator-=(const Region& other) {
  if (other.rects_.size() == 1) return *this -= other.rects_.front();
  rects_ = combine(rects_, other.rects_, Keep::FirstAlone);
  return *this;
}

Region operator&(const Region& a, const Rect& b) {
  if (a.rects_.size() == 1) return Region(intersect(a.rects_.front(), b));
  std::vector<Rect> common;
  for (const Rect& rect : a.rects_) {
    if (pilum::overlaps(rect, b)) common.push_back(intersect(rect, b));
  }
  Region result;
  result.rects_ = combine(common, {}, Keep::Either);
  return result;
}

Region operator&(const Region& a, const Region& b) {
  if (b.rects_.size() == 1) return a & b.rects_.front();
  Region result;
  result.rects_ = combine(a.rects_, b.rects_, Keep::Both);
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
