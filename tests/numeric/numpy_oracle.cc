#include "tests/numeric/numpy_oracle.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <unistd.h>

namespace pilum::numeric {
namespace {

constexpr const char* kPrelude = R"(
import numpy as np, sys
np.seterr(all='ignore')
if hasattr(np, '_set_promotion_state'):
    try: np._set_promotion_state('weak')
    except Exception: pass

def cells(hex, dtype, *shape):
    return np.frombuffer(bytes.fromhex(hex), dtype=dtype).reshape(shape).copy()

def show(f):
    try:
        x = np.asarray(f())
    except Exception as error:
        print('error')
        return
    print(x.dtype.name, str(x.shape).replace(' ', ''), np.ascontiguousarray(x).tobytes().hex())

def text(x):
    print(str(x).replace('\n', '|'))
)";

}  // namespace

bool numpy_available() {
  return std::system(PILUM_PYTHON " -c 'import numpy' >/dev/null 2>&1") == 0;
}

bool numpy_is_older_than(int major, int minor) {
  const std::vector<std::string> numbers = run_numpy("print('\\n'.join(np.__version__.split('.')[:2]))\n");
  return numbers.size() != 2 || std::pair(std::stoi(numbers[0]), std::stoi(numbers[1])) < std::pair(major, minor);
}

std::vector<std::string> run_numpy(const std::string& script) {
  char path[] = "/tmp/pilum_numpy_XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) throw std::runtime_error("no temporary file");
  close(file);
  std::ofstream(path) << kPrelude << script;
  FILE* pipe = popen((std::string(PILUM_PYTHON " -W ignore ") + path).c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, size);
  pclose(pipe);
  unlink(path);
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = output.find('\n', start);
    lines.push_back(output.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string with_one_nan(const std::string& line) {
  const std::size_t start = line.rfind(' ') + 1;
  const auto holds = [&](const char* dtype) { return line.starts_with(dtype); };
  const std::size_t digits = holds("float16")                          ? 4
                             : holds("float32") || holds("complex64")  ? 8
                             : holds("float64") || holds("complex128") ? 16
                                                                       : 0;
  if (!digits || (line.size() - start) % digits) return line;
  std::string text = line.substr(0, start);
  for (std::size_t at = start; at < line.size(); at += digits) {
    const std::string cell = line.substr(at, digits);
    std::uint64_t bits = 0;
    for (std::size_t k = digits; k > 0; k -= 2) bits = bits << 8 | std::stoul(cell.substr(k - 2, 2), nullptr, 16);
    const double value = digits == 4   ? half::from_bits(static_cast<std::uint16_t>(bits))
                         : digits == 8 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                                       : std::bit_cast<double>(bits);
    text += std::isnan(value) ? "nan " : cell;
  }
  return text;
}

std::string to_hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (std::byte byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned>(byte) >> 4];
    text += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

std::string python_array(const std::vector<std::byte>& bytes, DType dtype, const Shape& shape) {
  std::string text = "cells('" + to_hex(bytes) + "', '" + name(dtype) + "'";
  for (std::int64_t extent : shape) text += ", " + std::to_string(extent);
  return text + ")";
}

}  // namespace pilum::numeric
