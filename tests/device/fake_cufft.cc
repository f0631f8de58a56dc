// A library in place of cuFFT: the functions that we call, on the host's memory, as its documentation says: cell x of
// line b is input[b * idist + x * istride], cell (x, y) of plane b input[b * idist + (x * inembed[1] + y) * istride].
// Transforms are refused to a plan that was not set up as it has to be.
#include <cufft.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <numbers>
#include <vector>

namespace {

struct Plan {
  bool allocates = true, is_made = false, has_stream = false;
  void* work = nullptr;
  long long n = 0, batch = 0, istride = 0, idist = 0, ostride = 0, odist = 0;
  cufftType type = CUFFT_C2C;
  long long rows = 1, irow = 0, orow = 0;
};
std::map<cufftHandle, Plan> plans;

constexpr std::size_t kWorkBytes = 4096;

Plan* find(cufftHandle handle) {
  const auto found = plans.find(handle);
  return found == plans.end() ? nullptr : &found->second;
}

using Line = std::vector<std::complex<double>>;

Line sums_of(const Line& line, int direction) {
  const std::size_t n = line.size();
  Line sums(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i)
      sums[k] += line[i] * std::polar(1.0, direction * 2 * std::numbers::pi * static_cast<double>(i * k % n) /
                                               static_cast<double>(n));
  }
  return sums;
}

// What a plan is to have: its type, a stream, memory to work in, and addresses that are a complex number's.
cufftResult check(cufftHandle handle, cufftType type, const void* idata, const void* odata, std::size_t bytes) {
  const Plan* plan = find(handle);
  if (!plan || !plan->is_made) return CUFFT_INVALID_PLAN;
  if (plan->type != type) return CUFFT_INVALID_TYPE;
  if (!plan->has_stream || plan->allocates) return CUFFT_SETUP_FAILED;
  if (!plan->work) return CUFFT_NO_WORKSPACE;
  for (const void* data : {idata, odata}) {
    if (reinterpret_cast<std::uintptr_t>(data) % bytes != 0) return CUFFT_UNALIGNED_DATA;
  }
  return CUFFT_SUCCESS;
}

template <class In, class Out>
void run(const Plan& plan, In* input, Out* output, int direction) {
  const auto n = static_cast<std::size_t>(plan.n);
  const bool from_half = plan.type == CUFFT_C2R || plan.type == CUFFT_Z2D;
  const bool to_half = plan.type == CUFFT_R2C || plan.type == CUFFT_D2Z;
  const auto rows = static_cast<std::size_t>(plan.rows);
  for (long long b = 0; b < plan.batch && plan.rows > 1; ++b) {
    std::vector<Line> plane(rows, Line(n));
    for (std::size_t x = 0; x < rows; ++x) {
      for (std::size_t y = 0; y < n; ++y) {
        plane[x][y] =
            input[b * plan.idist + (static_cast<long long>(x) * plan.irow + static_cast<long long>(y)) * plan.istride];
      }
      plane[x] = sums_of(plane[x], direction);
    }
    for (std::size_t y = 0; y < (to_half ? n / 2 + 1 : n); ++y) {
      Line column(rows);
      for (std::size_t x = 0; x < rows; ++x) column[x] = plane[x][y];
      column = sums_of(column, direction);
      for (std::size_t x = 0; x < rows; ++x) {
        if constexpr (requires(Out cell) { cell.imag(); }) {
          output[b * plan.odist + (static_cast<long long>(x) * plan.orow + static_cast<long long>(y)) * plan.ostride] =
              Out(column[x]);
        }
      }
    }
  }
  for (long long b = 0; b < plan.batch && plan.rows == 1; ++b) {
    Line line(n);
    for (std::size_t x = 0; x < (from_half ? n / 2 + 1 : n); ++x)
      line[x] = input[b * plan.idist + static_cast<long long>(x) * plan.istride];
    for (std::size_t x = n / 2 + 1; from_half && x < n; ++x) line[x] = std::conj(line[n - x]);
    const Line sums = sums_of(line, direction);
    for (std::size_t x = 0; x < (to_half ? n / 2 + 1 : n); ++x) {
      Out& cell = output[b * plan.odist + static_cast<long long>(x) * plan.ostride];
      if constexpr (requires { cell.imag(); }) {
        cell = Out(sums[x]);
      } else {
        cell = static_cast<Out>(sums[x].real());
      }
    }
  }
}

template <class Real>
std::complex<Real>* numbers(void* data) {
  return static_cast<std::complex<Real>*>(data);
}

}  // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
  static cufftHandle last = 0;
  plans[*handle = ++last];
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  return plans.erase(handle) == 1 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftGetProperty(libraryPropertyType, int* value) {
  *value = 11;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  Plan* plan = find(handle);
  if (!plan || plan->is_made) return CUFFT_INVALID_PLAN;
  plan->allocates = allocates != 0;
  return CUFFT_SUCCESS;
}
// NOLINTBEGIN(readability-non-const-parameter): as it is declared
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* n, long long* inembed, long long istride,
                                long long idist, long long* onembed, long long ostride, long long odist, cufftType type,
                                long long batch, std::size_t* work_bytes) {
  Plan* plan = find(handle);
  if (!plan || plan->is_made) return CUFFT_INVALID_PLAN;
  if (rank < 1 || rank > 2 || *n < 1 || n[rank - 1] < 1 || batch < 1) return CUFFT_INVALID_SIZE;
  if (!inembed || !onembed || istride < 1 || ostride < 1 || idist < 1 || odist < 1) return CUFFT_INVALID_VALUE;
  *plan = {plan->allocates, true, false, nullptr, n[rank - 1], batch, istride, idist, ostride, odist, type};
  if (rank == 2) {
    if (type == CUFFT_C2R || type == CUFFT_Z2D) return CUFFT_NOT_IMPLEMENTED;
    plan->rows = n[0], plan->irow = inembed[1], plan->orow = onembed[1];
  }
  *work_bytes = kWorkBytes;
  return CUFFT_SUCCESS;
}
// NOLINTEND(readability-non-const-parameter)
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t) {
  Plan* plan = find(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  plan->has_stream = true;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void* work) {
  Plan* plan = find(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  plan->work = work;
  return CUFFT_SUCCESS;
}
cufftResult cufftExecC2C(cufftHandle handle, cufftComplex* idata, cufftComplex* odata, int direction) {
  const cufftResult result = check(handle, CUFFT_C2C, idata, odata, 8);
  if (result == CUFFT_SUCCESS) run(*find(handle), numbers<float>(idata), numbers<float>(odata), direction);
  return result;
}
cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex* idata, cufftDoubleComplex* odata, int direction) {
  const cufftResult result = check(handle, CUFFT_Z2Z, idata, odata, 16);
  if (result == CUFFT_SUCCESS) run(*find(handle), numbers<double>(idata), numbers<double>(odata), direction);
  return result;
}
cufftResult cufftExecR2C(cufftHandle handle, cufftReal* idata, cufftComplex* odata) {
  const cufftResult result = check(handle, CUFFT_R2C, idata, odata, 8);
  if (result == CUFFT_SUCCESS) run(*find(handle), idata, numbers<float>(odata), CUFFT_FORWARD);
  return result;
}
cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal* idata, cufftDoubleComplex* odata) {
  const cufftResult result = check(handle, CUFFT_D2Z, idata, odata, 16);
  if (result == CUFFT_SUCCESS) run(*find(handle), idata, numbers<double>(odata), CUFFT_FORWARD);
  return result;
}
cufftResult cufftExecC2R(cufftHandle handle, cufftComplex* idata, cufftReal* odata) {
  const cufftResult result = check(handle, CUFFT_C2R, idata, odata, 8);
  if (result == CUFFT_SUCCESS) run(*find(handle), numbers<float>(idata), odata, CUFFT_INVERSE);
  return result;
}
cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex* idata, cufftDoubleReal* odata) {
  const cufftResult result = check(handle, CUFFT_Z2D, idata, odata, 16);
  if (result == CUFFT_SUCCESS) run(*find(handle), numbers<double>(idata), odata, CUFFT_INVERSE);
  return result;
}

}  // extern "C"
