// LAPACK's functions of one type of numbers, out of OpenBLAS.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>

#include "numeric/blas.h"
#include "pilum/detail/array_accessor.h"

namespace pilum::numeric {

// By LAPACK's names without the letter of the type; matrices are column by column, numbers go by address, and the
// lengths of words come last, as Fortran has it. Null where there is no OpenBLAS.
template <class T>
struct Lapack {
  static constexpr bool kIsComplex = !std::is_floating_point_v<T>;
  using Real = decltype(std::real(T()));
  using Int = int;
  using Word = std::size_t;

  void (*gesv)(const Int* n, const Int* columns, T* a, const Int* lda, Int* pivots, T* b, const Int* ldb, Int* info);
  void (*getrf)(const Int* m, const Int* n, T* a, const Int* lda, Int* pivots, Int* info);
  void (*potrf)(const char* triangle, const Int* n, T* a, const Int* lda, Int* info, Word);
  void (*geqrf)(const Int* m, const Int* n, T* a, const Int* lda, T* tau, T* work, const Int* room, Int* info);
  void (*orgqr)(const Int* m, const Int* n, const Int* k, T* a, const Int* lda, const T* tau, T* work, const Int* room,
                Int* info);
  // Of complex numbers with further room, as the two below.
  void* heevd;
  void* gesdd;
  void* geev;

  static const Lapack& get() {
    static const Lapack loaded = load();
    return loaded;
  }
  bool is_there() const { return gesv && getrf && potrf && geqrf && orgqr && heevd && gesdd && geev; }

 private:
  static Lapack load() {
    constexpr char letter = kIsComplex ? (sizeof(T) == 8 ? 'c' : 'z') : (sizeof(T) == 4 ? 's' : 'd');
    const auto find = [](const char* name) { return find_in_openblas((letter + std::string(name) + "_").c_str()); };
    Lapack found;
    found.gesv = reinterpret_cast<decltype(found.gesv)>(find("gesv"));
    found.getrf = reinterpret_cast<decltype(found.getrf)>(find("getrf"));
    found.potrf = reinterpret_cast<decltype(found.potrf)>(find("potrf"));
    found.geqrf = reinterpret_cast<decltype(found.geqrf)>(find("geqrf"));
    found.orgqr = reinterpret_cast<decltype(found.orgqr)>(find(kIsComplex ? "ungqr" : "orgqr"));
    found.heevd = find(kIsComplex ? "heevd" : "syevd");
    found.gesdd = find("gesdd");
    found.geev = find("geev");
    return found;
  }
};

}  // namespace pilum::numeric
