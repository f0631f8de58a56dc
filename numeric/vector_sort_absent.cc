#include "numeric/vector_sort.h"
#include "runtime/base/check.h"

namespace pilum::numeric {

bool has_vector_sort() {
  return false;
}

template <class T>
void sort_by_vectors(T*, std::int64_t) {
  PILUM_CHECK(false, "this build sorts without vectors");
}

template void sort_by_vectors(std::int64_t* first, std::int64_t count);
template void sort_by_vectors(std::uint64_t* first, std::int64_t count);
template void sort_by_vectors(std::int32_t* first, std::int64_t count);
template void sort_by_vectors(std::uint32_t* first, std::int64_t count);
template void sort_by_vectors(std::int16_t* first, std::int64_t count);
template void sort_by_vectors(std::uint16_t* first, std::int64_t count);

}  // namespace pilum::numeric
