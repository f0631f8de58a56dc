/* Mistakes of C programs: each gives a code and a message that names the line of the call, and changes nothing. */
#include "check.h"

/* The call's status, a part of its message, and its line. */
static void expect(pilum_status status, pilum_status expected, const char* part, int line) {
  char place[40];
  snprintf(place, sizeof place, "errors.c:%d", line);
  const char* message = pilum_error_message();
  if (status == expected && pilum_error_status() == expected && strstr(message, part) && strstr(message, place)) return;
  ++failures;
  fprintf(stderr, "line %d: %s, \"%s\"; expected %s, \"%s\"\n", line, pilum_status_name(status), message,
          pilum_status_name(expected), part);
}
#define EXPECT(status, call, part) expect((call), (status), (part), __LINE__)

int main(int argc, char** argv) {
  pilum_runtime runtime = NULL, second;
  pilum_array a = NULL, b = NULL, out = NULL;
  int32_t small[8];
  double value;

  /* before there is a runtime */
  EXPECT(PILUM_RUNTIME_ERROR, pilum_zeros(PILUM_SHAPE(3), PILUM_FLOAT64, &out), "[zeros]");
  EXPECT(PILUM_HANDLE_ERROR, pilum_wait(runtime), "null handle");
  PILUM_TRY(pilum_runtime_create(argc, argv, &runtime));
  EXPECT(PILUM_RUNTIME_ERROR, pilum_runtime_create(0, NULL, &second), "a Runtime exists already");
  CHECK(second == NULL);

  OK(pilum_zeros(PILUM_SHAPE(3, 4), PILUM_FLOAT64, &a));
  OK(pilum_zeros(PILUM_SHAPE(5), PILUM_INT32, &b));
  EXPECT(PILUM_SHAPE_ERROR, pilum_add(a, b, &out), "(3, 4)");
  CHECK(out == NULL);
  EXPECT(PILUM_SHAPE_ERROR, pilum_zeros(PILUM_SHAPE(-1), PILUM_FLOAT64, &out), "-1");
  EXPECT(PILUM_SHAPE_ERROR, pilum_zeros(PILUM_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), PILUM_FLOAT64, &out), "9 axes");
  EXPECT(PILUM_SHAPE_ERROR, pilum_reshape(a, PILUM_SHAPE(5, 3), &out), "(5, 3)");
  EXPECT(PILUM_INDEX_ERROR, pilum_view(a, &out, 3), "3");
  EXPECT(PILUM_INDEX_ERROR, pilum_view(a, &out, 0, 0, 0), "3 indices");
  EXPECT(PILUM_INDEX_ERROR, pilum_view(a, &out, 0, 0, 0, 0, 0, 0, 0, 0, 0), "9 entries");
  EXPECT(PILUM_INDEX_ERROR, pilum_sum(a, PILUM_AXES(2), false, &out), "2");
  EXPECT(PILUM_VALUE_ERROR, pilum_view(a, &out, PILUM_STEPS(0, 3, 0)), "step");
  EXPECT(PILUM_VALUE_ERROR, pilum_add(b, 4294967296, &out), "4294967296");
  EXPECT(PILUM_DTYPE_ERROR, pilum_add_assign(b, 0.5), "int32");
  EXPECT(PILUM_DTYPE_ERROR, pilum_zeros(PILUM_SHAPE(1), (pilum_dtype)17, &out), "17");
  EXPECT(PILUM_VALUE_ERROR, pilum_item(a, &value), "12 cells");
  OK(pilum_view(b, &out, 0));
  EXPECT(PILUM_DTYPE_ERROR, pilum_item(out, &value), "float64");
  OK(pilum_release(&out));
  EXPECT(PILUM_DTYPE_ERROR, pilum_to_memory(a, (float[12]){0}, 12), "float32");
  EXPECT(PILUM_VALUE_ERROR, pilum_to_memory(b, small, 8), "room for 8");
  EXPECT(PILUM_VALUE_ERROR, pilum_item(b, small), "5 cells");
  EXPECT(PILUM_VALUE_ERROR, pilum_add(a, a, NULL), "null pointer");
  EXPECT(PILUM_VALUE_ERROR, pilum_from_memory((const double*)NULL, PILUM_SHAPE(2), &out), "cells");
  EXPECT(PILUM_RUNTIME_ERROR, pilum_load("no_such_file.npy", &out), "No such file");
  EXPECT(PILUM_VALUE_ERROR, pilum_save(NULL, a), "path");

  /* handles of nothing */
  EXPECT(PILUM_HANDLE_ERROR, pilum_add(a, out, &out), "argument b is a null handle");
  const pilum_array never = (pilum_array)(uintptr_t)0x5eed5eed5eed;
  EXPECT(PILUM_HANDLE_ERROR, pilum_sum(never, PILUM_ALL_AXES, false, &out), "never made");
  EXPECT(PILUM_HANDLE_ERROR, pilum_print((pilum_array)(void*)runtime), "argument array");
  pilum_array gone = a, twice = a;
  OK(pilum_release(&a));
  EXPECT(PILUM_HANDLE_ERROR, pilum_add(gone, b, &out), "it was released");
  EXPECT(PILUM_HANDLE_ERROR, pilum_release(&twice), "it was released");
  OK(pilum_ones(PILUM_SHAPE(2), PILUM_FLOAT64, &a)); /* takes the place of the old one */
  EXPECT(PILUM_HANDLE_ERROR, pilum_set(gone, 5, 0), "it was released");

  /* the last error stays, and what failed did nothing */
  CHECK(pilum_error_status() == PILUM_HANDLE_ERROR);
  OK(pilum_sum(a, PILUM_ALL_AXES, false, &out));
  CHECK(pilum_error_status() == PILUM_HANDLE_ERROR);
  OK(pilum_item(out, &value));
  CHECK(value == 2);
  CHECK(pilum_live_arrays() == 3);

  /* after the runtime */
  pilum_runtime ended = runtime;
  OK(pilum_runtime_destroy(&runtime));
  OK(pilum_runtime_destroy(&runtime));
  EXPECT(PILUM_HANDLE_ERROR, pilum_wait(ended), "it has ended");
  EXPECT(PILUM_RUNTIME_ERROR, pilum_add(a, 1, &gone), "[add]");
  OK(pilum_release(&a));
  OK(pilum_release(&b));
  OK(pilum_release(&out));
  CHECK(pilum_live_arrays() == 0);
  PILUM_TRY(pilum_runtime_create(0, NULL, &runtime)); /* the next one */
  OK(pilum_runtime_destroy(&runtime));
  return failures != 0;
}
