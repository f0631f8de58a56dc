/* Checks of C programs: what fails is said with its line, and the program ends with 1 when it is done. */
#pragma once

#include <pilum/c.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static inline void check(bool holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "line %d: %s\n", line, what);
}
#define CHECK(condition) check((condition), #condition, __LINE__)
#define OK(call) check((call) == PILUM_OK, pilum_error_message(), __LINE__)

/* An array, which is released: its dtype, and its cells in row-major order as doubles. */
static inline void check_cells(pilum_array array, pilum_dtype dtype, size_t count, const double* expected, int line) {
  pilum_dtype found = PILUM_NATURAL;
  pilum_array doubles = NULL;
  double cells[64] = {0};
  check(pilum_get_dtype(array, &found) == PILUM_OK && found == dtype, "another dtype", line);
  check(pilum_astype(array, PILUM_FLOAT64, &doubles) == PILUM_OK, pilum_error_message(), line);
  check(pilum_to_memory(doubles, cells, count) == PILUM_OK, pilum_error_message(), line);
  for (size_t k = 0; k < count; ++k) {
    const bool same = cells[k] == expected[k] || (isnan(cells[k]) && isnan(expected[k]));
    if (!same) fprintf(stderr, "line %d: cell %zu is %.17g, expected %.17g\n", line, k, cells[k], expected[k]);
    failures += !same;
  }
  check(pilum_release(&doubles) == PILUM_OK, pilum_error_message(), line);
  check(pilum_release(&array) == PILUM_OK, pilum_error_message(), line);
}
#define CELLS(array, dtype, ...) \
  check_cells((array), (dtype), PILUM_LIST_COUNT(double, __VA_ARGS__), PILUM_LIST(double, __VA_ARGS__), __LINE__)

static inline bool has_shape(pilum_array array, pilum_shape expected) {
  pilum_shape shape;
  return pilum_get_shape(array, &shape) == PILUM_OK && memcmp(&shape, &expected, sizeof shape) == 0;
}
