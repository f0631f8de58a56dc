// What a launch and a body may not be.
#include <pilum/pilum.h>

#include <vector>

namespace np = pilum::numeric;

void wrong_launches(np::Array& a) {
  const auto copy = pilum::task("copy", [](pilum::Piece, pilum::Read<double, 1>, pilum::Write<double, 1>, int) {});
  copy({4}, pilum::read(a), pilum::write(a));
  copy({4}, pilum::write(a), pilum::read(a), 1);
  copy({4}, pilum::read(a), pilum::write(a), "one");
  pilum::task("list", [](pilum::Piece, std::vector<int>) {});
  pilum::task("first", [](pilum::Read<double, 1>) {});
}
