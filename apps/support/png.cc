// By libpng's simplified interface (libpng-manual.txt, section V).
#include "apps/support/png.h"

#include <png.h>

#include <stdexcept>

namespace app {

void write_png(const std::string& path, std::int64_t width, std::int64_t height,
               const std::vector<std::uint8_t>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  if (pixels.size() != PNG_IMAGE_SIZE(image)) throw std::runtime_error(path + ": the pixels do not fill the picture");
  if (!png_image_write_to_file(&image, path.c_str(), /*convert_to_8bit=*/0, pixels.data(), /*row_stride=*/0, nullptr)) {
    throw std::runtime_error(path + ": " + image.message);
  }
}

bool has_png() {
  return true;
}

}  // namespace app
