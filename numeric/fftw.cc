#include "numeric/fftw.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace pilum::numeric {
namespace {

void* open_fftw(const std::string& name) {
  const char* const wanted = std::getenv("PILUM_TEST_FFTW");
  if (wanted && std::strcmp(wanted, "0") == 0) return nullptr;
  for (const char* ending : {".so.3", ".so"}) {
    void* const library = dlopen((name + ending).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return nullptr;
}

// `letter` stands behind fftw in the names of single precision.
Fftw load(const char* letter) {
  Fftw found;
  void* const library = open_fftw(std::string("libfftw3") + letter);
  if (!library) return found;
  const auto find = [&](auto& function, const char* name) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, (std::string("fftw") + letter + name).c_str()));
  };
  find(found.plan_complex, "_plan_guru64_dft");
  find(found.plan_to_complex, "_plan_guru64_dft_r2c");
  find(found.plan_to_real, "_plan_guru64_dft_c2r");
  find(found.run_complex, "_execute_dft");
  find(found.run_to_complex, "_execute_dft_r2c");
  find(found.run_to_real, "_execute_dft_c2r");
  find(found.destroy, "_destroy_plan");
  return found;
}

}  // namespace

const Fftw* find_fftw(bool is_double) {
  static const Fftw of_doubles = load(""), of_floats = load("f");
  const Fftw& found = is_double ? of_doubles : of_floats;
  const bool is_there = found.plan_complex && found.plan_to_complex && found.plan_to_real && found.run_complex &&
                        found.run_to_complex && found.run_to_real && found.destroy;
  return is_there ? &found : nullptr;
}

}  // namespace pilum::numeric
