// The normal distribution in layers of the same area: the tables of the ziggurat method.
#pragma once

#include <cmath>

#include "numeric/portable_math.h"

namespace pilum::numeric {

// G. Marsaglia, W. W. Tsang, "The ziggurat method for generating random variables", J. Stat. Soft. 5, 2000, of 256
// layers. Layer k > 0 lies between the heights of exp(-x^2 / 2) at place[k] and at place[k + 1], which is nearer to 0.
// Layer 0 is the lowest one, of width place[1], with the tail beyond: as a rectangle it would be place[0] wide.
struct NormalLayers {
  static constexpr int kCount = 256;
  double place[kCount + 1], height[kCount + 1];
};

inline NormalLayers make_normal_layers() {
  constexpr double kTail = 3.6541528853610088, kArea = 0.004928673233974658;
  const auto density = [](double x) { return portable::exp(-0.5 * x * x); };
  NormalLayers layers{};
  layers.place[0] = kArea / density(kTail);
  layers.place[1] = kTail;
  for (int k = 2; k < NormalLayers::kCount; ++k) {
    const double last = layers.place[k - 1];
    layers.place[k] = std::sqrt(-2 * portable::log(kArea / last + density(last)));
  }
  layers.place[NormalLayers::kCount] = 0;
  for (int k = 0; k <= NormalLayers::kCount; ++k) layers.height[k] = density(layers.place[k]);
  return layers;
}
inline const NormalLayers kNormalLayers = make_normal_layers();

}  // namespace pilum::numeric
