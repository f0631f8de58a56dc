#include "numeric/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace pilum::numeric {
namespace {

// OpenBLAS takes a processor that is newer than itself for one of the oldest, and its loops for that take five times as
// long: a Xeon of 2024 multiplied at 15 GFLOP/s a core by Debian 12's, and does at 75. So it is told by the
// instructions that there are whose loops it shall take, but where somebody says so himself. Null: let it look for
// itself.
const char* core_type() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  if (has_avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

// As this library is loaded: later there are threads, which may be reading the environment.
[[gnu::constructor]] void choose_core_type() {
  if (const char* const type = core_type()) setenv("OPENBLAS_CORETYPE", type, /*overwrite=*/0);
}

void* open_library() {
  const char* const wanted = std::getenv("PILUM_TEST_OPENBLAS");
  if (wanted && std::strcmp(wanted, "0") == 0) return nullptr;
  for (const char* name : {PILUM_OPENBLAS_LIBRARY, "libopenblas.so.0", "libopenblas.so"}) {
    void* const library = *name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (library) return library;  // never closed: its threads do not end before us
  }
  return nullptr;
}

// With one thread; null where there is none.
void* load_library() {
  void* const library = open_library();
  if (!library) return nullptr;
  const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  if (!set_threads) return nullptr;
  set_threads(1);
  return library;
}

void* loaded_library() {
  static void* const library = load_library();
  return library;
}

Blas load() {
  Blas found;
  void* const library = loaded_library();
  if (!library) return found;
  found.sgemm = reinterpret_cast<Blas::Sgemm>(dlsym(library, "cblas_sgemm"));
  found.dgemm = reinterpret_cast<Blas::Dgemm>(dlsym(library, "cblas_dgemm"));
  return found;
}

}  // namespace

const Blas& blas() {
  static const Blas loaded = load();
  return loaded;
}

void* find_in_openblas(const char* name) {
  void* const library = loaded_library();
  return library ? dlsym(library, name) : nullptr;
}

}  // namespace pilum::numeric
