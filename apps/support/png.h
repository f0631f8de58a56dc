// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace app {

// `pixels` has red, green and blue of each point, row by row. Throws std::runtime_error where the file cannot be
// written, and where the program was built without libpng.
void write_png(const std::string& path, std::int64_t width, std::int64_t height,
               const std::vector<std::uint8_t>& pixels);

// Whether there is libpng.
bool has_png();

}  // namespace app
