#include "tests/fakes/emulated_lapack.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace pilum::fakes {
namespace {

using device::GpuLapack;
using device::GpuLapackCells;
using device::LapackCall;

void* find_function(const std::string& name) {
  static void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name.c_str()) : nullptr;
}

std::size_t cell_bytes(const GpuLapack& lapack) {
  return itemsize(lapack.dtype);
}

std::size_t real_bytes(const GpuLapack& lapack) {
  return cell_bytes(lapack) / (is_complex(lapack.dtype) ? 2 : 1);
}

std::size_t least(const GpuLapack& lapack) {
  return static_cast<std::size_t>(std::min(lapack.rows, lapack.columns));
}

// Of each array, in the order a, b, c, d.
std::array<std::size_t, 4> sizes_of(const GpuLapack& lapack) {
  const auto rows = static_cast<std::size_t>(lapack.rows), columns = static_cast<std::size_t>(lapack.columns),
             count = static_cast<std::size_t>(lapack.count);
  const std::size_t cell = cell_bytes(lapack), whole = rows * columns * cell;
  switch (lapack.call) {
    case LapackCall::Getrf: return {whole, least(lapack) * sizeof(std::int64_t), 0, 0};
    case LapackCall::Getrs: return {whole, rows * sizeof(std::int64_t), rows * count * cell, 0};
    case LapackCall::Potrf: return {whole, 0, 0, 0};
    case LapackCall::Geqrf: return {whole, least(lapack) * cell, 0, 0};
    case LapackCall::Orgqr: return {whole, count * cell, 0, 0};
    case LapackCall::Heevd: return {whole, rows * real_bytes(lapack), 0, 0};
    case LapackCall::Gesvd:
      return {whole, columns * real_bytes(lapack), rows * count * cell, count > 0 ? columns * columns * cell : 0};
  }
  __builtin_unreachable();
}

// LAPACK's pivots are 32-bit integers here.
template <class T>
class Caller {
 public:
  using Real = decltype(std::real(T()));
  static constexpr bool kIsComplex = !std::is_floating_point_v<T>;

  Caller(const GpuLapack& lapack, const GpuLapackCells& cells)
      : lapack_(lapack),
        rows_(static_cast<int>(lapack.rows)),
        columns_(static_cast<int>(lapack.columns)),
        count_(static_cast<int>(lapack.count)),
        a_(at<T>(cells.a)),
        c_(at<T>(cells.c)),
        d_(at<T>(cells.d)),
        b_(cells.b) {}

  int run() {
    switch (lapack_.call) {
      case LapackCall::Getrf: return getrf();
      case LapackCall::Getrs: return getrs();
      case LapackCall::Potrf:
        call<const char*, const int*, T*, const int*, int*, std::size_t>("potrf")(triangle(), &rows_, a_, &rows_,
                                                                                  &info_, 1);
        return info_;
      case LapackCall::Geqrf:
        call<const int*, const int*, T*, const int*, T*, T*, const int*, int*>("geqrf")(
            &rows_, &columns_, a_, &rows_, at<T>(b_), room(), &room_, &info_);
        return info_;
      case LapackCall::Orgqr:
        call<const int*, const int*, const int*, T*, const int*, T*, T*, const int*, int*>(
            kIsComplex ? "ungqr" : "orgqr")(&rows_, &columns_, &count_, a_, &rows_, at<T>(b_), room(), &room_, &info_);
        return info_;
      case LapackCall::Heevd: return eigenvalues();
      case LapackCall::Gesvd: return singular_values();
    }
    __builtin_unreachable();
  }

 private:
  template <class U>
  static U* at(std::byte* cells) {
    return reinterpret_cast<U*>(cells);
  }
  template <class... Arguments>
  static auto call(const char* name) {
    constexpr char letter = kIsComplex ? (sizeof(T) == 8 ? 'c' : 'z') : (sizeof(T) == 4 ? 's' : 'd');
    return reinterpret_cast<void (*)(Arguments...)>(find_function(letter + std::string(name) + "_"));
  }
  const char* triangle() const { return lapack_.upper ? "U" : "L"; }
  T* room() {
    room_ = 64 * (rows_ + columns_) + 64;
    work_.resize(static_cast<std::size_t>(room_));
    return work_.data();
  }

  int getrf() {
    std::vector<int> pivots(least(lapack_));
    call<const int*, const int*, T*, const int*, int*, int*>("getrf")(&rows_, &columns_, a_, &rows_, pivots.data(),
                                                                      &info_);
    std::ranges::copy(pivots, at<std::int64_t>(b_));
    return info_;
  }
  int getrs() {
    std::vector<int> pivots(static_cast<std::size_t>(rows_));
    for (int i = 0; i < rows_; ++i) pivots[static_cast<std::size_t>(i)] = static_cast<int>(at<std::int64_t>(b_)[i]);
    call<const char*, const int*, const int*, T*, const int*, int*, T*, const int*, int*, std::size_t>("getrs")(
        "N", &rows_, &count_, a_, &rows_, pivots.data(), c_, &rows_, &info_, 1);
    return info_;
  }
  // By the plain QR iteration, where the library that is tested against has another one.
  int eigenvalues() {
    std::vector<Real> more(3 * static_cast<std::size_t>(rows_));
    const char* const job = count_ > 0 ? "V" : "N";
    if constexpr (kIsComplex) {
      call<const char*, const char*, const int*, T*, const int*, Real*, T*, const int*, Real*, int*, std::size_t,
           std::size_t>("heev")(job, triangle(), &rows_, a_, &rows_, at<Real>(b_), room(), &room_, more.data(), &info_,
                                1, 1);
    } else {
      call<const char*, const char*, const int*, T*, const int*, Real*, T*, const int*, int*, std::size_t, std::size_t>(
          "syev")(job, triangle(), &rows_, a_, &rows_, at<Real>(b_), room(), &room_, &info_, 1, 1);
    }
    return info_;
  }
  int singular_values() {
    std::vector<Real> more(5 * static_cast<std::size_t>(columns_));
    const char* const u_job = count_ == 0 ? "N" : count_ == rows_ ? "A" : "S";
    const char* const v_job = count_ == 0 ? "N" : "A";
    const auto run = [&](auto... last) {
      call<const char*, const char*, const int*, const int*, T*, const int*, Real*, T*, const int*, T*, const int*, T*,
           const int*, decltype(last)..., std::size_t, std::size_t>("gesvd")(u_job, v_job, &rows_, &columns_, a_,
                                                                             &rows_, at<Real>(b_), c_, &rows_, d_,
                                                                             &columns_, room(), &room_, last..., 1, 1);
    };
    if constexpr (kIsComplex)
      run(more.data(), &info_);
    else
      run(&info_);
    return info_;
  }

  const GpuLapack& lapack_;
  int rows_, columns_, count_, info_ = 0, room_ = 0;
  T *a_, *c_, *d_;
  std::byte* b_;
  std::vector<T> work_;
};

}  // namespace

bool has_lapack() {
  static const bool has = find_function("dgesvd_") != nullptr;
  return has;
}

std::size_t emulated_work_bytes(const GpuLapack& lapack) {
  return 8 + static_cast<std::size_t>(lapack.call) * 24 + static_cast<std::size_t>(lapack.rows % 5) * 256;
}

const char* find_lapack_trouble(const GpuLapack& lapack, const GpuLapackCells& cells,
                                const std::function<bool(const std::byte*, std::size_t)>& is_memory) {
  const bool is_square =
      lapack.call == LapackCall::Getrs || lapack.call == LapackCall::Potrf || lapack.call == LapackCall::Heevd;
  if (lapack.dtype != DType::Float32 && lapack.dtype != DType::Float64 && !is_complex(lapack.dtype))
    return "factors of cells that are no floating-point or complex numbers";
  if (lapack.rows < 1 || lapack.columns < 1 || lapack.count < 0) return "a matrix without cells";
  if (is_square && lapack.rows != lapack.columns) return "a matrix that is not square";
  if (lapack.call == LapackCall::Gesvd) {
    if (lapack.rows < lapack.columns) return "singular values of a matrix of fewer rows than columns";
    if (lapack.count != 0 && lapack.count != lapack.rows && lapack.count != lapack.columns) return "some columns of U";
  }
  if (lapack.call == LapackCall::Orgqr && (lapack.columns > lapack.rows || lapack.count > lapack.columns))
    return "more orthonormal columns than rows, or more reflections than columns";
  const std::array<std::size_t, 4> sizes = sizes_of(lapack);
  const std::array<const std::byte*, 4> places{cells.a, cells.b, cells.c, cells.d};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] == 0) continue;
    if (reinterpret_cast<std::uintptr_t>(places[k]) % 16 != 0) return "cells at an address that none has";
    if (!is_memory(places[k], sizes[k])) return "cells that are not in memory of a GPU's";
  }
  if (lapack.call != LapackCall::Getrs && !is_memory(cells.info, sizeof(int))) return "no memory for what it says";
  return is_memory(cells.work, emulated_work_bytes(lapack)) ? nullptr : "no memory of a GPU's to work in";
}

void run_lapack(const GpuLapack& lapack, const GpuLapackCells& cells) {
  std::memset(cells.work, 0x5a, emulated_work_bytes(lapack));
  const auto run = [&]<class T>(T) { return Caller<T>(lapack, cells).run(); };
  int info = 0;
  switch (lapack.dtype) {
    case DType::Float32: info = run(float()); break;
    case DType::Float64: info = run(double()); break;
    case DType::Complex64: info = run(std::complex<float>()); break;
    default: info = run(std::complex<double>()); break;
  }
  if (lapack.call == LapackCall::Gesvd || (lapack.call == LapackCall::Heevd && lapack.count == 0))
    std::memset(cells.a, 0x5a, sizes_of(lapack)[0]);
  if (lapack.call != LapackCall::Getrs) std::memcpy(cells.info, &info, sizeof info);
}

}  // namespace pilum::fakes
