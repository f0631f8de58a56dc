/* Arrays of a task's body as pointers of Fortran: their descriptor is that of the standard (Fortran 2018, 18.4). */
#include <ISO_Fortran_binding.h>

#include "pilum/c_tasks.h"

/* Points at what the body may touch, with the array's own indices, counted from 1, axes in Fortran's order. */
void pilum_fortran_point(const pilum_cells* cells, CFI_cdesc_t* pointer) {
  pointer->base_addr = cells->first;
  for (int k = 0; k < pointer->rank; ++k) {
    const int axis = pointer->rank - 1 - k;
    pointer->dim[k].lower_bound = cells->lo[axis] + 1;
    pointer->dim[k].extent = cells->hi[axis] - cells->lo[axis];
    pointer->dim[k].sm = cells->stride[axis] * (CFI_index_t)pointer->elem_len;
  }
}
