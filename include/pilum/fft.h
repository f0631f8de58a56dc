// Discrete Fourier transforms (numpy.fft), by FFTW 3 where the machine has it, on GPUs by cuFFT.
//
// Along an axis, the last one unless another is named: with `n` numbers of each line, of which those behind the end are
// 0 (without: all). Each line is one processor's, and the other axes are cut; a lone line is gathered, and a warning
// says so above 100 MB. Where GPUs have no cuFFT the host transforms. float32 and complex64 give complex64 (or
// float32), so does float16; others complex128 (or float64). `norm` says what is divided by n: "backward" the inverse,
// "forward" the transform, "ortho" both, by its root.
//
// Thrown at the call: ValueError for fewer numbers than one and another norm, IndexError for an axis that is not there,
// DTypeError where real numbers are transformed and complex ones given, RuntimeError where there is no FFTW (packages
// libfftw3-double3 and libfftw3-single3), nor cuFFT for GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>
#include <vector>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric::fft {

// The transform and its inverse (numpy.fft.fft, ifft).
PILUM_API Array fft(const Array& a, std::optional<std::int64_t> n = {}, Axis axis = -1,
                    std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array ifft(const Array& a, std::optional<std::int64_t> n = {}, Axis axis = -1,
                     std::string_view norm = "backward", std::source_location where = std::source_location::current());
// Of real numbers, the first n / 2 + 1 of the result, the others being their conjugates; and back, to n numbers, 2 (m -
// 1) of m unless said (numpy.fft.rfft, irfft).
PILUM_API Array rfft(const Array& a, std::optional<std::int64_t> n = {}, Axis axis = -1,
                     std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array irfft(const Array& a, std::optional<std::int64_t> n = {}, Axis axis = -1,
                      std::string_view norm = "backward", std::source_location where = std::source_location::current());
// Of numbers whose transform is real, and back (numpy.fft.hfft, ihfft).
PILUM_API Array hfft(const Array& a, std::optional<std::int64_t> n = {}, Axis axis = -1,
                     std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array ihfft(const Array& a, std::optional<std::int64_t> n = {}, Axis axis = -1,
                      std::string_view norm = "backward", std::source_location where = std::source_location::current());

// Along several axes: all, or the last ones that `s` has numbers for, one `n` each (-1: all there are). Of real numbers
// the last of these axes is transformed by rfft. Those of two are along the last two axes (numpy.fft.fftn, ifftn,
// rfftn, irfftn, fft2, ifft2, rfft2, irfft2). ValueError where s and axes are not as many.
PILUM_API Array fftn(const Array& a, const std::vector<std::int64_t>& s = {}, Axes axes = {},
                     std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array ifftn(const Array& a, const std::vector<std::int64_t>& s = {}, Axes axes = {},
                      std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array rfftn(const Array& a, const std::vector<std::int64_t>& s = {}, Axes axes = {},
                      std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array irfftn(const Array& a, const std::vector<std::int64_t>& s = {}, Axes axes = {},
                       std::string_view norm = "backward",
                       std::source_location where = std::source_location::current());
PILUM_API Array fft2(const Array& a, const std::vector<std::int64_t>& s = {}, Axes axes = {-2, -1},
                     std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array ifft2(const Array& a, const std::vector<std::int64_t>& s = {}, Axes axes = {-2, -1},
                      std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array rfft2(const Array& a, const std::vector<std::int64_t>& s = {}, Axes axes = {-2, -1},
                      std::string_view norm = "backward", std::source_location where = std::source_location::current());
PILUM_API Array irfft2(const Array& a, const std::vector<std::int64_t>& s = {}, Axes axes = {-2, -1},
                       std::string_view norm = "backward",
                       std::source_location where = std::source_location::current());

// The frequencies of fft's and rfft's numbers, in cycles a unit, where cells are `d` apart: float64
// (numpy.fft.fftfreq, rfftfreq). ValueError for n below 1.
PILUM_API Array fftfreq(std::int64_t n, double d = 1.0, std::source_location where = std::source_location::current());
PILUM_API Array rfftfreq(std::int64_t n, double d = 1.0, std::source_location where = std::source_location::current());
// The frequency 0 to the middle of these axes, or of all; and back (numpy.fft.fftshift, ifftshift).
PILUM_API Array fftshift(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current());
PILUM_API Array ifftshift(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current());

}  // namespace pilum::numeric::fft
