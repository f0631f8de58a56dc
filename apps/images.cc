// Two images in one array: a plane is a view, and a number written into it is written into the image.
#include <cstdio>

#include <pilum/pilum.h>

namespace np = pilum::numeric;
using np::all;

int main(int argc, char** argv) {
  try {
    pilum::Runtime runtime(argc, argv);
    np::Array image = np::zeros({2, 1080, 1920});
    image(0, all, all) = 1;
    for (int plane = 0; plane < image.shape()[0]; ++plane) {
      std::printf("Sum of plane %d: %.0f\n", plane, np::sum(image(plane, all, all)).item<double>());
    }
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "images: %s\n", error.what());
    return 1;
  }
}
