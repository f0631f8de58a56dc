/* Tasks whose bodies are C functions; expected are plain loops. Runs on any number of ranks. */
#include "check.h"

#include <stdlib.h>

enum { kCells = 1000 };

/* out = weight * (in at i - 1, in, in at i + 1) + shift, nothing beyond the ends. */
static void smooth(const pilum_piece* piece, const pilum_cells* arrays, const pilum_number* numbers) {
  const pilum_cells *in = &arrays[0], *out = &arrays[1];
  for (int64_t i = piece->lo[0]; i < piece->hi[0]; ++i) {
    double sum = PILUM_CELL(double, in, i);
    if (i > in->lo[0]) sum += PILUM_CELL(double, in, i - 1);
    if (i + 1 < in->hi[0]) sum += PILUM_CELL(double, in, i + 1);
    PILUM_CELL(double, out, i) = numbers[0].real * sum + (double)numbers[1].integer;
  }
}

static void test_halo(void) {
  pilum_task task;
  pilum_array in, out;
  double cells[kCells], back[kCells];
  for (int k = 0; k < kCells; ++k) cells[k] = (k * 37) % 101;
  OK(pilum_task_create("smooth", smooth, &task, PILUM_READS(PILUM_FLOAT64, 1), PILUM_TAKES_REAL,
                       PILUM_WRITES(PILUM_FLOAT64, 1), PILUM_TAKES_INTEGER));
  OK(pilum_from_memory(cells, PILUM_SHAPE(kCells), &in));
  OK(pilum_zeros(PILUM_SHAPE(kCells), PILUM_FLOAT64, &out));
  OK(pilum_launch(task, PILUM_SHAPE(kCells), pilum_halo(in, 1, 1), 0.5, out, 3));
  OK(pilum_to_memory(out, back, kCells));
  for (int k = 0; k < kCells; ++k) {
    const double sum = cells[k] + (k > 0 ? cells[k - 1] : 0) + (k + 1 < kCells ? cells[k + 1] : 0);
    CHECK(back[k] == 0.5 * sum + 3);
  }
  OK(pilum_release(&in));
  OK(pilum_release(&out));
  OK(pilum_task_release(&task));
  CHECK(task == NULL);
}

/* Rows of a table by a matrix that all have; every other column; the largest of all. */
static void row_sums(const pilum_piece* piece, const pilum_cells* arrays, const pilum_number* numbers) {
  const pilum_cells *table = &arrays[0], *weights = &arrays[1], *sums = &arrays[2], *largest = &arrays[3];
  (void)numbers;
  for (int64_t i = piece->lo[0]; i < piece->hi[0]; ++i) {
    int64_t sum = 0;
    for (int64_t j = table->lo[1]; j < table->hi[1]; ++j)
      sum += PILUM_CELL(int64_t, table, i, j) * PILUM_CELL(int64_t, weights, j);
    PILUM_CELL(int64_t, sums, i) += sum;
    if (sum > PILUM_CELL(int64_t, largest, 0)) PILUM_CELL(int64_t, largest, 0) = sum;
  }
}

static void test_projections(void) {
  pilum_task task;
  pilum_array line, table, weights, sums, largest;
  OK(pilum_task_create("row_sums", row_sums, &task, PILUM_READS(PILUM_INT64, 2), PILUM_READS(PILUM_INT64, 1),
                       PILUM_READS_AND_WRITES(PILUM_INT64, 1), PILUM_REDUCES(PILUM_INT64, 1)));
  OK(pilum_arange(0, 21, 1, PILUM_NATURAL, &line));
  OK(pilum_reshape(line, PILUM_SHAPE(7, 3), &table));
  OK(pilum_from_memory(((int64_t[]){1, 10, 100}), PILUM_SHAPE(3), &weights));
  OK(pilum_full(PILUM_SHAPE(7), 1000, PILUM_NATURAL, &sums));
  OK(pilum_full(PILUM_SHAPE(1), 5, PILUM_NATURAL, &largest));
  OK(pilum_launch(task, PILUM_SHAPE(7), table, pilum_whole(weights), sums, pilum_fold(largest, PILUM_MAXIMUM)));
  CELLS(sums, PILUM_INT64, 1210, 1543, 1876, 2209, 2542, 2875, 3208);
  CELLS(largest, PILUM_INT64, 2208);
  OK(pilum_release(&line));
  OK(pilum_release(&table));
  OK(pilum_release(&weights));
  OK(pilum_task_release(&task));
}

static void pick(const pilum_piece* piece, const pilum_cells* arrays, const pilum_number* numbers) {
  (void)numbers;
  for (int64_t i = piece->lo[0]; i < piece->hi[0]; ++i) {
    PILUM_CELL(float, &arrays[2], i) = PILUM_CELL(float, &arrays[0], 2 * i + 1) + PILUM_CELL(float, &arrays[1], 9 - i);
  }
}
static void mirrored(const pilum_piece* point, pilum_piece* box) {
  box->rank = 1;
  box->lo[0] = 9 - point->lo[0];
  box->hi[0] = box->lo[0] + 1;
}

static void test_affine_and_function(void) {
  const pilum_axis_cells odd = {0, 2, 1, 1};
  pilum_task task;
  pilum_array in, out;
  OK(pilum_task_create("pick", pick, &task, PILUM_READS(PILUM_FLOAT32, 1), PILUM_READS(PILUM_FLOAT32, 1),
                       PILUM_WRITES(PILUM_FLOAT32, 1)));
  OK(pilum_arange(0, 10, 1, PILUM_FLOAT32, &in));
  OK(pilum_empty(PILUM_SHAPE(5), PILUM_FLOAT32, &out));
  OK(pilum_launch(task, PILUM_SHAPE(5), pilum_affine(in, 1, &odd), pilum_boxes(in, mirrored), out));
  CELLS(out, PILUM_FLOAT32, 10, 11, 12, 13, 14);
  OK(pilum_release(&in));
  OK(pilum_task_release(&task));
}

static void outside(const pilum_piece* piece, const pilum_cells* arrays, const pilum_number* numbers) {
  (void)numbers;
  for (int64_t i = piece->lo[0]; i < piece->hi[0]; ++i) PILUM_CELL(double, &arrays[0], i + 1) = 1;
}
static void unable(const pilum_piece* piece, const pilum_cells* arrays, const pilum_number* numbers) {
  (void)numbers;
  for (int64_t i = piece->lo[0]; i < piece->hi[0]; ++i) PILUM_CELL(double, &arrays[0], i) = 1;
  pilum_fail("the pressure is negative");
}

/* What is wrong in a body ends the run: to be called in a process of its own. */
static int fail_in_body(pilum_runtime runtime, const char* how) {
  pilum_task task;
  pilum_array array;
  const bool is_outside = strcmp(how, "outside") == 0;
  OK(pilum_task_create("faulty", is_outside ? outside : unable, &task, PILUM_WRITES(PILUM_FLOAT64, 1)));
  OK(pilum_zeros(PILUM_SHAPE(4), PILUM_FLOAT64, &array));
  OK(pilum_launch(task, PILUM_SHAPE(4), array));
  const int line = __LINE__ - 1;
  const pilum_status status = pilum_wait(runtime);
  char place[40];
  snprintf(place, sizeof place, "tasks.c:%d", line);
  CHECK(status == (is_outside ? PILUM_INDEX_ERROR : PILUM_OTHER_ERROR) || status == PILUM_RUNTIME_ERROR);
  CHECK(strstr(pilum_error_message(), "faulty") && strstr(pilum_error_message(), place));
  CHECK(strstr(pilum_error_message(), is_outside ? "argument 1" : "the pressure is negative"));
  fprintf(stderr, "%s\n", pilum_error_message());
  pilum_release(&array);
  pilum_task_release(&task);
  pilum_runtime_destroy(&runtime);
  return failures ? 1 : 0;
}

static void test_refusals(void) {
  pilum_task task;
  pilum_array a, whole;
  OK(pilum_task_create("smooth", smooth, &task, PILUM_READS(PILUM_FLOAT64, 1), PILUM_TAKES_REAL,
                       PILUM_WRITES(PILUM_FLOAT64, 1), PILUM_TAKES_INTEGER));
  OK(pilum_zeros(PILUM_SHAPE(4), PILUM_FLOAT64, &a));
  OK(pilum_zeros(PILUM_SHAPE(4), PILUM_INT32, &whole));
  CHECK(pilum_launch(task, PILUM_SHAPE(4), a, 0.5) == PILUM_VALUE_ERROR);
  CHECK(pilum_launch(task, PILUM_SHAPE(4), a, 0.5, whole, 3) == PILUM_DTYPE_ERROR);
  CHECK(pilum_launch(task, PILUM_SHAPE(4), a, a, a, 3) == PILUM_DTYPE_ERROR);
  CHECK(pilum_launch(task, PILUM_SHAPE(4), 0.5, 0.5, a, 3) == PILUM_DTYPE_ERROR);
  CHECK(pilum_launch(task, PILUM_SHAPE(4), a, 0.5, a, 3.5) == PILUM_DTYPE_ERROR);
  CHECK(pilum_launch(task, PILUM_SHAPE(5), a, 0.5, a, 3) == PILUM_SHAPE_ERROR);
  CHECK(pilum_launch(task, PILUM_SHAPE(4), a, 0.5, pilum_fold(a, PILUM_SUM), 3) == PILUM_VALUE_ERROR);
  pilum_task gone = task;
  OK(pilum_task_release(&task));
  CHECK(pilum_launch(gone, PILUM_SHAPE(4), a, 0.5, a, 3) == PILUM_HANDLE_ERROR);
  CHECK(pilum_task_create("none", NULL, &task, PILUM_WRITES(PILUM_FLOAT64, 1)) == PILUM_VALUE_ERROR && task == NULL);
  CHECK(pilum_task_create("ranks", smooth, &task, PILUM_WRITES(PILUM_FLOAT64, 9)) == PILUM_SHAPE_ERROR);
  OK(pilum_release(&a));
  OK(pilum_release(&whole));
}

int main(int argc, char** argv) {
  pilum_runtime runtime;
  PILUM_TRY(pilum_runtime_create(argc, argv, &runtime));
  if (argc > 1) return fail_in_body(runtime, argv[1]);
  test_halo();
  test_projections();
  test_affine_and_function();
  test_refusals();
  CHECK(pilum_live_arrays() == 0);
  OK(pilum_runtime_destroy(&runtime));
  return failures != 0;
}
