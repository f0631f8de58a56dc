// Fourier transforms.
#include "pilum/fft.h"

#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

std::optional<std::int64_t> count_or_none(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(a.integer(place)) : std::nullopt;
}

std::vector<std::int64_t> counts_or_none(const Arguments& a, std::size_t place) {
  return a.has(place) ? a.integers(place) : std::vector<std::int64_t>();
}

}  // namespace

#define ALONG_ONE(name)                                                                                 \
  table[#name] = [](const Arguments& a) -> Results {                                                    \
    return {np::fft::name(a.array(0), count_or_none(a, 1), static_cast<int>(a.integer(2)), a.word(3))}; \
  };
#define ALONG_ALL(name)                                                             \
  table[#name] = [](const Arguments& a) -> Results {                                \
    return {np::fft::name(a.array(0), counts_or_none(a, 1), a.axes(2), a.word(3))}; \
  };

void add_fft(Table& table) {
  ALONG_ONE(fft);
  ALONG_ONE(ifft);
  ALONG_ONE(rfft);
  ALONG_ONE(irfft);
  ALONG_ONE(hfft);
  ALONG_ONE(ihfft);
  ALONG_ALL(fftn);
  ALONG_ALL(ifftn);
  ALONG_ALL(rfftn);
  ALONG_ALL(irfftn);
  ALONG_ALL(fft2);
  ALONG_ALL(ifft2);
  ALONG_ALL(rfft2);
  ALONG_ALL(irfft2);
  table["fftfreq"] = [](const Arguments& a) -> Results { return {np::fft::fftfreq(a.integer(0), a.real(1))}; };
  table["rfftfreq"] = [](const Arguments& a) -> Results { return {np::fft::rfftfreq(a.integer(0), a.real(1))}; };
  table["fftshift"] = [](const Arguments& a) -> Results { return {np::fft::fftshift(a.array(0), a.axes(1))}; };
  table["ifftshift"] = [](const Arguments& a) -> Results { return {np::fft::ifftshift(a.array(0), a.axes(1))}; };
}

}  // namespace pilum::numpy_suite
