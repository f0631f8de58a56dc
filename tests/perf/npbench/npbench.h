// NPBench's programs (Ziogas et al., "NPBench", ICS 2021), written as their NumPy forms are.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pilum/pilum.h"

namespace npbench {

namespace np = pilum::numeric;

// What a program is given: arrays of its own, which it may write, and numbers.
struct Inputs {
  std::map<std::string, np::Array> arrays;
  std::map<std::string, double> numbers;

  np::Array& operator[](const std::string& name) { return arrays.at(name); }
  double real(const std::string& name) const { return numbers.at(name); }
  std::int64_t whole(const std::string& name) const { return static_cast<std::int64_t>(numbers.at(name)); }
};

// What it computed, by names that npbench.py has too; an array that it wrote in place is named here again.
using Outputs = std::map<std::string, np::Array>;

using Program = Outputs (*)(Inputs& inputs);

// A file of programs/ says `static const npbench::Entry entry("gemm", gemm);`.
struct Entry {
  Entry(const char* name, Program program);
};

}  // namespace npbench
