// Numbers from text, as numpy.loadtxt reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/errors.h"
#include "pilum/io.h"

namespace pilum::numeric {

// Rows of as many cells, one after the other.
struct TextCells {
  std::vector<std::byte> bytes;  // in the dtype that is asked for
  std::int64_t rows = 0, columns = 0;
};

// Throws ValueError for options that make no sense.
void check_options(const Call& call, const LoadText& options);

// `path` for what is said of a line. Throws ValueError.
[[nodiscard]] TextCells read_text(const Call& call, const std::string& path, std::string_view text,
                                  const LoadText& options);

}  // namespace pilum::numeric
