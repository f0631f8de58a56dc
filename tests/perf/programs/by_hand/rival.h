// The programs of programs.h as loops that a careful programmer fuses by hand with OpenMP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/perf/programs/by_hand/stores.h"

namespace pilum::by_hand {

struct Rival {
  std::function<void(Stores)> step;
  // A field's cells, row-major; fields in the order of Program::fields.
  std::function<std::vector<double>(std::size_t field)> result;
  std::function<void()> restart = nullptr;  // begins anew, where the program can
  bool in_place = false;                    // the kind of stores makes no difference
};

// By the program's name and size. Throws std::invalid_argument for another name.
Rival make_rival(const std::string& name, std::int64_t size);

// One a file of this folder.
Rival jacobi(std::int64_t n);
Rival heat(std::int64_t n);
Rival gray_scott(std::int64_t n);
Rival rolled(std::int64_t n);
Rival conjugate_gradient(std::int64_t n);
Rival fdtd(std::int64_t n);
Rival cavity(std::int64_t n);
Rival burgers(std::int64_t n);
Rival shallow_water(std::int64_t n);
Rival multigrid(std::int64_t n);

// The rival of an object with step(Stores), and field(number) that gives the cells.
template <class Loops>
Rival rival_of(std::shared_ptr<Loops> loops) {
  return {[loops](Stores stores) { loops->step(stores); },
          [loops](std::size_t number) { return loops->field(number); }};
}

}  // namespace pilum::by_hand
