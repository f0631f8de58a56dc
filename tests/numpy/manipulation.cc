// Other shapes, other axes; put together and taken apart.
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

int small(std::int64_t number) {
  return static_cast<int>(number);
}

}  // namespace

#define OF_ONE(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0))}; };
#define OF_AXES(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), a.axes(1))}; };

void add_manipulation(Table& table) {
  OF_ONE(flipud)
  OF_ONE(fliplr) OF_ONE(ravel) OF_AXES(flip) OF_AXES(squeeze) OF_AXES(transpose)
      table["copy"] = [](const Arguments& a) -> Results { return {a.array(0).copy()}; };
  table["astype"] = [](const Arguments& a) -> Results { return {a.array(0).astype(*a.dtype(1))}; };
  table["reshape"] = [](const Arguments& a) -> Results { return {np::reshape(a.array(0), a.shape(1))}; };
  table["broadcast_to"] = [](const Arguments& a) -> Results { return {np::broadcast_to(a.array(0), a.shape(1))}; };
  table["expand_dims"] = [](const Arguments& a) -> Results {
    return {np::expand_dims(a.array(0), small(a.integer(1)))};
  };
  table["swapaxes"] = [](const Arguments& a) -> Results {
    return {np::swapaxes(a.array(0), small(a.integer(1)), small(a.integer(2)))};
  };
  table["moveaxis"] = [](const Arguments& a) -> Results {
    return {np::moveaxis(a.array(0), small(a.integer(1)), small(a.integer(2)))};
  };
  table["concatenate"] = [](const Arguments& a) -> Results {
    return {np::concatenate(a.arrays(0), small(a.integer(1)))};
  };
  table["stack"] = [](const Arguments& a) -> Results { return {np::stack(a.arrays(0), small(a.integer(1)))}; };
  table["vstack"] = [](const Arguments& a) -> Results { return {np::vstack(a.arrays(0))}; };
  table["hstack"] = [](const Arguments& a) -> Results { return {np::hstack(a.arrays(0))}; };
  table["roll"] = [](const Arguments& a) -> Results {
    if (!a.has(2)) return {np::roll(a.array(0), a.integer(1))};
    return {np::roll(a.array(0), a.integer(1), small(a.integer(2)))};
  };
  table["diff"] = [](const Arguments& a) -> Results {
    return {np::diff(a.array(0), small(a.integer(1, 1)), small(a.integer(2, -1)))};
  };
}

}  // namespace pilum::numpy_suite
