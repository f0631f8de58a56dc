#pragma once

#include <string>

namespace pilum {

// A name and what it stands for, as texts for people.
struct NamedValue {
  std::string name, value;
  bool operator==(const NamedValue&) const = default;
};

}  // namespace pilum
