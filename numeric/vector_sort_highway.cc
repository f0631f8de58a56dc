// By Highway's vqsort, which chooses among instruction sets at run time (Wassenberg et al., "Vectorized and
// performance-portable Quicksort", 2022). Of its floating numbers Highway 1.0 takes infinity for the greatest finite
// one, and sorts tiny ones that come often wrongly: so it gets integers alone.
#include <hwy/contrib/sort/vqsort.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "numeric/vector_sort.h"

namespace pilum::numeric {

bool has_vector_sort() {
  static const bool has = [] {
    const char* const wanted = std::getenv("PILUM_TEST_HIGHWAY");
    return !(wanted && std::strcmp(wanted, "0") == 0);
  }();
  return has;
}

template <class T>
void sort_by_vectors(T* first, std::int64_t count) {
  thread_local const hwy::Sorter sorter;  // its memory is for one sort at a time
  sorter(first, static_cast<std::size_t>(count), hwy::SortAscending());
}

template void sort_by_vectors(std::int64_t* first, std::int64_t count);
template void sort_by_vectors(std::uint64_t* first, std::int64_t count);
template void sort_by_vectors(std::int32_t* first, std::int64_t count);
template void sort_by_vectors(std::uint32_t* first, std::int64_t count);
template void sort_by_vectors(std::int16_t* first, std::int64_t count);
template void sort_by_vectors(std::uint16_t* first, std::int64_t count);

}  // namespace pilum::numeric
