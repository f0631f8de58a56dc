/* Every function of functions.txt, called from C; expected are literals. Runs on any number of ranks. */
#include "elementwise.h"

static void creation(void) {
  pilum_array out;
  OK(pilum_zeros(PILUM_SHAPE(2, 3), PILUM_INT32, &out));
  CHECK(has_shape(out, PILUM_SHAPE(2, 3)));
  CELLS(out, PILUM_INT32, 0, 0, 0, 0, 0, 0);
  OK(pilum_ones(PILUM_SHAPE(2), PILUM_NATURAL, &out));
  CELLS(out, PILUM_FLOAT64, 1, 1);
  OK(pilum_empty(PILUM_SHAPE(4, 5), PILUM_FLOAT32, &out));
  CHECK(has_shape(out, PILUM_SHAPE(4, 5)));
  OK(pilum_release(&out));
  OK(pilum_full(PILUM_SHAPE(2), 7, PILUM_NATURAL, &out));
  CELLS(out, PILUM_INT64, 7, 7);
  OK(pilum_full(PILUM_SCALAR, 2.5f, PILUM_FLOAT32, &out));
  CELLS(out, PILUM_FLOAT32, 2.5);
  OK(pilum_arange(10, 4, -2, PILUM_NATURAL, &out));
  CELLS(out, PILUM_INT64, 10, 8, 6);
  OK(pilum_arange(0, 1.5, 0.5, PILUM_FLOAT32, &out));
  CELLS(out, PILUM_FLOAT32, 0, 0.5, 1);
  OK(pilum_linspace(1, 2, 5, true, PILUM_FLOAT64, &out));
  CELLS(out, PILUM_FLOAT64, 1, 1.25, 1.5, 1.75, 2);
  OK(pilum_linspace(0, 4, 4, false, PILUM_INT32, &out));
  CELLS(out, PILUM_INT32, 0, 1, 2, 3);
}

static void arithmetic(void) {
  pilum_array a = reals(1, -4, 9), b = reals(2, 2, -3), out;
  OK(pilum_add(a, b, &out));
  CELLS(out, PILUM_FLOAT64, 3, -2, 6);
  OK(pilum_subtract(10, a, &out));
  CELLS(out, PILUM_FLOAT64, 9, 14, 1);
  OK(pilum_multiply(a, 0.5, &out));
  CELLS(out, PILUM_FLOAT64, 0.5, -2, 4.5);
  OK(pilum_divide(a, b, &out));
  CELLS(out, PILUM_FLOAT64, 0.5, -2, -3);
  OK(pilum_power(a, 2, &out));
  CELLS(out, PILUM_FLOAT64, 1, 16, 81);
  OK(pilum_negative(a, &out));
  CELLS(out, PILUM_FLOAT64, -1, 4, -9);
  OK(pilum_abs(a, &out));
  CELLS(out, PILUM_FLOAT64, 1, 4, 9);
  OK(pilum_sqrt(a, &out));
  CELLS(out, PILUM_FLOAT64, 1, (double)NAN, 3);
  OK(pilum_minimum(a, b, &out));
  CELLS(out, PILUM_FLOAT64, 1, -4, -3);
  OK(pilum_maximum(a, 0, &out));
  CELLS(out, PILUM_FLOAT64, 1, 0, 9);
  OK(pilum_release(&a));
  a = reals(0, 0, 0);
  OK(pilum_exp(a, &out));
  CELLS(out, PILUM_FLOAT64, 1, 1, 1);
  OK(pilum_log(a, &out));
  CELLS(out, PILUM_FLOAT64, -(double)INFINITY, -(double)INFINITY, -(double)INFINITY);
  OK(pilum_release(&a));
  OK(pilum_release(&b));
}

static void comparisons(void) {
  pilum_array a = reals(1, 2, 3), out, other;
  OK(pilum_equal(a, 2, &out));
  CELLS(out, PILUM_BOOL, 0, 1, 0);
  OK(pilum_not_equal(a, 2, &out));
  CELLS(out, PILUM_BOOL, 1, 0, 1);
  OK(pilum_less(a, 2, &out));
  CELLS(out, PILUM_BOOL, 1, 0, 0);
  OK(pilum_less_equal(a, 2, &out));
  CELLS(out, PILUM_BOOL, 1, 1, 0);
  OK(pilum_greater(a, 2, &out));
  CELLS(out, PILUM_BOOL, 0, 0, 1);
  OK(pilum_greater_equal(a, 2, &other));
  OK(pilum_where(other, a, -1, &out));
  CELLS(other, PILUM_BOOL, 0, 1, 1);
  CELLS(out, PILUM_FLOAT64, -1, 2, 3);
  OK(pilum_release(&a));
}

static void reductions(void) {
  pilum_array table = integers(2, 3), out; /* 0 1 2, 3 4 5 */
  OK(pilum_sum(table, PILUM_ALL_AXES, false, &out));
  CHECK(has_shape(out, PILUM_SCALAR));
  CELLS(out, PILUM_INT64, 15);
  OK(pilum_sum(table, PILUM_AXES(0), true, &out));
  CHECK(has_shape(out, PILUM_SHAPE(1, 3)));
  CELLS(out, PILUM_INT64, 3, 5, 7);
  OK(pilum_prod(table, PILUM_AXES(-1), false, &out));
  CELLS(out, PILUM_INT64, 0, 60);
  OK(pilum_min(table, PILUM_AXES(1), false, &out));
  CELLS(out, PILUM_INT64, 0, 3);
  OK(pilum_max(table, PILUM_AXES(0, 1), false, &out));
  CELLS(out, PILUM_INT64, 5);
  OK(pilum_mean(table, PILUM_AXES(0), false, &out));
  CELLS(out, PILUM_FLOAT64, 1.5, 2.5, 3.5);
  OK(pilum_release(&table));
}

static void shapes(void) {
  pilum_array table = integers(2, 3), view, out;
  OK(pilum_transpose(table, PILUM_ALL_AXES, &out));
  CHECK(has_shape(out, PILUM_SHAPE(3, 2)));
  CELLS(out, PILUM_INT64, 0, 3, 1, 4, 2, 5);
  OK(pilum_transpose(table, PILUM_AXES(0, 1), &out));
  CELLS(out, PILUM_INT64, 0, 1, 2, 3, 4, 5);
  OK(pilum_view(table, &view, 1));
  OK(pilum_broadcast_to(view, PILUM_SHAPE(2, 3), &out));
  CELLS(out, PILUM_INT64, 3, 4, 5, 3, 4, 5);
  CELLS(view, PILUM_INT64, 3, 4, 5);
  OK(pilum_reshape(table, PILUM_SHAPE(3, -1), &out));
  CHECK(has_shape(out, PILUM_SHAPE(3, 2)));
  CELLS(out, PILUM_INT64, 0, 1, 2, 3, 4, 5);
  OK(pilum_astype(table, PILUM_BOOL, &out));
  CELLS(out, PILUM_BOOL, 0, 1, 1, 1, 1, 1);
  OK(pilum_copy(table, &out));
  OK(pilum_assign(table, -1)); /* the copy does not see it */
  CELLS(out, PILUM_INT64, 0, 1, 2, 3, 4, 5);
  CELLS(table, PILUM_INT64, -1, -1, -1, -1, -1, -1);
}

static void products(void) {
  pilum_array table = integers(2, 3), turned, vector, out;
  OK(pilum_transpose(table, PILUM_ALL_AXES, &turned));
  OK(pilum_matmul(table, turned, &out));
  CHECK(has_shape(out, PILUM_SHAPE(2, 2)));
  CELLS(out, PILUM_INT64, 5, 14, 14, 50);
  OK(pilum_view(table, &vector, 1));
  OK(pilum_dot(table, vector, &out));
  CELLS(out, PILUM_INT64, 14, 50);
  OK(pilum_vdot(vector, vector, &out));
  CELLS(out, PILUM_INT64, 50);
  OK(pilum_outer(vector, vector, &out));
  CELLS(out, PILUM_INT64, 9, 12, 15, 12, 16, 20, 15, 20, 25);
  OK(pilum_tensordot(table, turned, 1, &out));
  CELLS(out, PILUM_INT64, 5, 14, 14, 50);
  OK(pilum_trace(table, &out));
  CELLS(out, PILUM_INT64, 4);
  OK(pilum_release(&turned));
  OK(pilum_view(vector, &turned, PILUM_SLICE(0, 2)));
  OK(pilum_norm(turned, &out));
  CELLS(out, PILUM_FLOAT64, 5);
  OK(pilum_release(&turned));
  OK(pilum_release(&vector));
  OK(pilum_release(&table));
}

/* Of [[0, 4], [4, 0]], and of a lower triangle that is no symmetric matrix. */
static void factors(pilum_array matrix) {
  pilum_array line, triangle, q, r, out;
  OK(pilum_from_memory(((double[]){8, 4}), PILUM_SHAPE(2), &line));
  OK(pilum_solve(matrix, line, false, &out));
  CELLS(out, PILUM_FLOAT64, 1, 2);
  OK(pilum_from_memory(((double[]){2, 0, 1, 1}), PILUM_SHAPE(2, 2), &triangle));
  OK(pilum_solve(triangle, line, false, &out));
  CELLS(out, PILUM_FLOAT64, 4, 0);
  OK(pilum_solve(triangle, line, true, &out));
  CELLS(out, PILUM_FLOAT64, 2, 4);
  OK(pilum_lstsq(matrix, line, false, &r));
  OK(pilum_round(r, 9, &out));
  CELLS(out, PILUM_FLOAT64, 1, 2);
  OK(pilum_release(&r));
  OK(pilum_pinv(matrix, &r));
  OK(pilum_round(r, 9, &out));
  CELLS(out, PILUM_FLOAT64, 0, 0.25, 0.25, 0);
  OK(pilum_release(&r));
  OK(pilum_matrix_power(triangle, 2, &out));
  CELLS(out, PILUM_FLOAT64, 4, 0, 3, 1);
  OK(pilum_matmul(matrix, matrix, &r));
  OK(pilum_cholesky(r, false, &out));
  CELLS(out, PILUM_FLOAT64, 4, 0, 0, 4);
  OK(pilum_release(&r));
  OK(pilum_qr_q(triangle, false, &q));
  OK(pilum_qr_r(triangle, false, &r));
  OK(pilum_matmul(q, r, &out));
  OK(pilum_release(&q));
  OK(pilum_round(out, 9, &q));
  OK(pilum_release(&out));
  CELLS(q, PILUM_FLOAT64, 2, 0, 1, 1);
  OK(pilum_release(&r));
  OK(pilum_svd_u(triangle, false, &q));
  OK(pilum_svd_vh(triangle, false, &r));
  CHECK(has_shape(q, PILUM_SHAPE(2, 2)) && has_shape(r, PILUM_SHAPE(2, 2)));
  OK(pilum_release(&q));
  OK(pilum_release(&r));
  OK(pilum_eigh_vectors(matrix, false, &r));
  OK(pilum_power(r, 2, &q));
  OK(pilum_release(&r));
  OK(pilum_round(q, 9, &out));
  CELLS(out, PILUM_FLOAT64, 0.5, 0.5, 0.5, 0.5);
  OK(pilum_release(&q));
  OK(pilum_eigvals(triangle, &r));
  OK(pilum_real_part(r, &q));
  OK(pilum_sum(q, PILUM_ALL_AXES, false, &out));
  CELLS(out, PILUM_FLOAT64, 3);
  OK(pilum_release(&q));
  OK(pilum_release(&r));
  OK(pilum_release(&line));
  OK(pilum_release(&triangle));
}

static void transforms_along_an_axis(pilum_array line) {
  pilum_array spectrum, out;
  OK(pilum_fft(line, &spectrum));
  OK(pilum_real_part(spectrum, &out));
  CELLS(out, PILUM_FLOAT64, 3, 3, 3);
  OK(pilum_ifft(spectrum, &out));
  OK(pilum_release(&spectrum));
  OK(pilum_real_part(out, &spectrum));
  OK(pilum_release(&out));
  CELLS(spectrum, PILUM_FLOAT64, 3, 0, 0);
  OK(pilum_rfft(line, &spectrum));
  OK(pilum_irfft(spectrum, 3, &out));
  OK(pilum_release(&spectrum));
  CELLS(out, PILUM_FLOAT64, 3, 0, 0);
}

/* Without OpenBLAS or FFTW these are errors that say so. */
static void factors_and_transforms(void) {
  pilum_array matrix, line = reals(3, 0, 0), out, rounded;
  OK(pilum_from_memory(((double[]){0, 4, 4, 0}), PILUM_SHAPE(2, 2), &matrix));
  if (pilum_inv(matrix, &out) == PILUM_OK) {
    CELLS(out, PILUM_FLOAT64, 0, 0.25, 0.25, 0);
    OK(pilum_det(matrix, &out));
    OK(pilum_round(out, 9, &rounded));
    OK(pilum_release(&out));
    CELLS(rounded, PILUM_FLOAT64, -16);
    OK(pilum_eigvalsh(matrix, &out));
    OK(pilum_round(out, 9, &rounded));
    OK(pilum_release(&out));
    CELLS(rounded, PILUM_FLOAT64, -4, 4);
    OK(pilum_svdvals(matrix, &out));
    OK(pilum_round(out, 9, &rounded));
    OK(pilum_release(&out));
    CELLS(rounded, PILUM_FLOAT64, 4, 4);
    factors(matrix);
  } else {
    CHECK(strstr(pilum_error_message(), "OpenBLAS") != NULL);
  }
  if (pilum_fftn(line, PILUM_ALL_AXES, &out) == PILUM_OK) {
    pilum_array spectrum = out;
    OK(pilum_real_part(spectrum, &out));
    CELLS(out, PILUM_FLOAT64, 3, 3, 3);
    OK(pilum_ifftn(spectrum, PILUM_ALL_AXES, &out));
    OK(pilum_release(&spectrum));
    OK(pilum_real_part(out, &spectrum));
    OK(pilum_release(&out));
    CELLS(spectrum, PILUM_FLOAT64, 3, 0, 0);
    transforms_along_an_axis(line);
  } else {
    CHECK(strstr(pilum_error_message(), "FFTW") != NULL);
  }
  OK(pilum_release(&matrix));
  OK(pilum_release(&line));
}

static void sets(void) {
  pilum_array a = reals(1, 2, 4), b = reals(4, 1, 7), out;
  OK(pilum_union1d(a, b, &out));
  CELLS(out, PILUM_FLOAT64, 1, 2, 4, 7);
  OK(pilum_intersect1d(a, b, &out));
  CELLS(out, PILUM_FLOAT64, 1, 4);
  OK(pilum_setdiff1d(a, b, &out));
  CELLS(out, PILUM_FLOAT64, 2);
  OK(pilum_isin(a, b, &out));
  CELLS(out, PILUM_BOOL, 1, 0, 1);
  OK(pilum_interp(3, a, b, &out));
  CELLS(out, PILUM_FLOAT64, 4);
  OK(pilum_kron(a, b, &out));
  CELLS(out, PILUM_FLOAT64, 4, 1, 7, 8, 2, 14, 16, 4, 28);
  OK(pilum_release(&a));
  OK(pilum_release(&b));
}

static void writing(void) {
  pilum_array table = integers(2, 3), view, row;
  OK(pilum_view(table, &view, PILUM_ALL, PILUM_SLICE(1, PILUM_NONE)));
  OK(pilum_assign(view, 9));
  OK(pilum_view(table, &row, 0));
  OK(pilum_add_assign(row, 1));
  OK(pilum_subtract_assign(view, 2));
  OK(pilum_multiply_assign(row, 10));
  CELLS(row, PILUM_INT64, 10, 80, 80);
  CELLS(view, PILUM_INT64, 80, 80, 7, 7);
  CELLS(table, PILUM_INT64, 10, 80, 80, 3, 7, 7);
  row = reals(1, 2, 3);
  OK(pilum_divide_assign(row, 4));
  CELLS(row, PILUM_FLOAT64, 0.25, 0.5, 0.75);
}

static void views(void) {
  pilum_array table = integers(3, 4), out;
  OK(pilum_view(table, &out, PILUM_STEPS(PILUM_NONE, PILUM_NONE, -2), -1));
  CELLS(out, PILUM_INT64, 11, 3);
  OK(pilum_view(table, &out, PILUM_ELLIPSIS, PILUM_NEW_AXIS, PILUM_SLICE(-2, 100)));
  CHECK(has_shape(out, PILUM_SHAPE(3, 1, 2)));
  CELLS(out, PILUM_INT64, 2, 3, 6, 7, 10, 11);
  OK(pilum_view(table, &out, (uint8_t)2, 1L));
  CHECK(has_shape(out, PILUM_SCALAR));
  CELLS(out, PILUM_INT64, 9);
  OK(pilum_set(table, 0, 1));
  OK(pilum_set(table, true, PILUM_ALL, 0));
  CELLS(table, PILUM_INT64, 1, 1, 2, 3, 1, 0, 0, 0, 1, 9, 10, 11);
}

static void memory(void) {
  const int32_t cells[] = {3, 1, 2};
  const bool bits[] = {true, false};
  int32_t back[3] = {0}, one = 0;
  bool bit = false;
  float real = 0;
  pilum_array array, out;
  OK(pilum_from_memory(cells, PILUM_SHAPE(3), &array));
  OK(pilum_to_memory(array, back, 3));
  CHECK(memcmp(back, cells, sizeof cells) == 0);
  OK(pilum_view(array, &out, 0));
  OK(pilum_item(out, &one));
  CHECK(one == 3);
  OK(pilum_release(&out));
  OK(pilum_release(&array));
  OK(pilum_from_memory(bits, PILUM_SHAPE(1, 2), &array));
  OK(pilum_view(array, &out, 0, 0));
  OK(pilum_item(out, &bit));
  CHECK(bit);
  CELLS(out, PILUM_BOOL, 1);
  CELLS(array, PILUM_BOOL, 1, 0);
  OK(pilum_full(PILUM_SCALAR, 0.1, PILUM_FLOAT32, &array));
  OK(pilum_item(array, &real));
  CHECK(real == 0.1f);
  CELLS(array, PILUM_FLOAT32, (double)0.1f);
}

static void files(void) {
  pilum_array table = integers(2, 3), back = NULL;
  OK(pilum_save("c_interface_table.npy", table));
  OK(pilum_load("c_interface_table.npy", &back));
  CELLS(back, PILUM_INT64, 0, 1, 2, 3, 4, 5);
  OK(pilum_release(&table));
  remove("c_interface_table.npy");
}

static void texts(void) {
  pilum_array table = integers(2, 3), other = NULL;
  char text[32] = "", start[4] = "";
  size_t length = 0;
  int64_t size = 0;
  OK(pilum_to_string(table, text, sizeof text, &length));
  CHECK(strcmp(text, "[[0 1 2]\n [3 4 5]]") == 0 && length == 18);
  OK(pilum_to_string(table, start, sizeof start, &length));
  CHECK(strcmp(start, "[[0") == 0 && length == 18);
  OK(pilum_get_size(table, &size));
  CHECK(size == 6);
  CHECK(strcmp(pilum_dtype_name(PILUM_FLOAT32), "float32") == 0 && pilum_dtype_size(PILUM_FLOAT32) == 4);
  CHECK(pilum_dtype_size(PILUM_NATURAL) == 0);
  OK(pilum_duplicate(table, &other));
  CHECK(pilum_live_arrays() == 2);
  OK(pilum_print(other));
  OK(pilum_release(&other));
  OK(pilum_release(&other)); /* of NULL */
  OK(pilum_release(&table));
}

int main(int argc, char** argv) {
  pilum_runtime runtime;
  int rank = -1, ranks = 0, cores = 0, processors = 0;
  const char* transport = NULL;
  PILUM_TRY(pilum_runtime_create(argc, argv, &runtime));
  OK(pilum_rank(runtime, &rank));
  OK(pilum_ranks(runtime, &ranks));
  OK(pilum_cores(runtime, &cores));
  OK(pilum_processors(runtime, &processors));
  OK(pilum_transport(runtime, &transport));
  CHECK(rank >= 0 && rank < ranks && cores >= 1 && processors >= ranks && transport);
  creation();
  arithmetic();
  functions();
  functions_of_two();
  bits();
  comparisons();
  reductions();
  shapes();
  products();
  factors_and_transforms();
  sets();
  writing();
  views();
  memory();
  files();
  texts();
  OK(pilum_wait(runtime));
  CHECK(pilum_live_arrays() == 0);
  OK(pilum_runtime_destroy(&runtime));
  CHECK(runtime == NULL);
  if (failures == 0 && rank == 0) printf("ranks %d: all is well\n", ranks);
  return failures != 0;
}
