#include "tests/perf/programs/by_hand/rival.h"

#include <stdexcept>

namespace pilum::by_hand {

Rival make_rival(const std::string& name, std::int64_t size) {
  if (name == "jacobi") return jacobi(size);
  if (name == "heat") return heat(size);
  if (name == "gray_scott") return gray_scott(size);
  if (name == "rolled") return rolled(size);
  if (name == "conjugate_gradient" || name == "cg_padded" || name == "cg_interior") return conjugate_gradient(size);
  if (name == "fdtd") return fdtd(size);
  if (name == "cavity") return cavity(size);
  if (name == "burgers") return burgers(size);
  if (name == "shallow_water") return shallow_water(size);
  if (name == "multigrid") return multigrid(size);
  throw std::invalid_argument("nobody has written " + name + " by hand");
}

}  // namespace pilum::by_hand
