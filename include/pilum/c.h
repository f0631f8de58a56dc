/* Pilum for C: opaque handles, a status from every call, messages that name the line of the call. C11, and C++ as well.
 *
 *   pilum_runtime runtime;
 *   pilum_array a, b;
 *   double total;
 *   PILUM_TRY(pilum_runtime_create(argc, argv, &runtime));
 *   PILUM_TRY(pilum_arange(0, 1000, 1, PILUM_FLOAT64, &a));
 *   PILUM_TRY(pilum_multiply(a, 0.5, &b));
 *   PILUM_TRY(pilum_add_assign(b, a));
 *   PILUM_TRY(pilum_release(&a));
 *   PILUM_TRY(pilum_sum(b, PILUM_ALL_AXES, false, &a));
 *   PILUM_TRY(pilum_item(a, &total));
 *   PILUM_TRY(pilum_release(&a));
 *   PILUM_TRY(pilum_release(&b));
 *   PILUM_TRY(pilum_runtime_destroy(&runtime));
 *
 * What the functions do is what those of the same name do in C++ (pilum/math.h, pilum/creation.h): they record, and run
 * later. Arrays belong to the thread that made the runtime; every rank makes the same calls. docs/c_interface.md says
 * more. Link with pilum_c; the functions with _at are what other languages bind to.
 */
#ifndef PILUM_C_H
#define PILUM_C_H

#include "pilum/c_functions.h"
#include "pilum/c_tasks.h"
#include "pilum/c_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Errors ---- */

/* Of this thread's last call that did not return PILUM_OK: kept until the next one, so that handles may be released in
 * between. The text names the operation, the values, what is expected and the line of the call. */
pilum_status pilum_error_status(void);
const char* pilum_error_message(void); /* "" where there was none; valid until the next error */
/* "shape error" */
const char* pilum_status_name(int status);

/* For programs that go no further: prints the message to standard error and exits with 1, unless the status is
 * PILUM_OK. */
void pilum_exit_on_error(pilum_status status);
#define PILUM_TRY(call) pilum_exit_on_error(call)

/* ---- The runtime ---- */

/* As pilum::Runtime: plaunch, or the environment, decides how many ranks, cores and GPUs there are. One at a time in a
 * process. argc and argv may be 0 and NULL. */
pilum_status pilum_runtime_create_at(int argc, char** argv, pilum_runtime* out, pilum_place place);
#define pilum_runtime_create(argc, argv, out) pilum_runtime_create_at((argc), (argv), (out), PILUM_HERE)
/* Runs what is recorded, and ends this rank's part. What went wrong on the way is returned; the runtime ends all the
 * same. Arrays may outlive it, but then only be released. Sets *runtime to NULL; of NULL it does nothing. */
pilum_status pilum_runtime_destroy_at(pilum_runtime* runtime, pilum_place place);
#define pilum_runtime_destroy(runtime) pilum_runtime_destroy_at((runtime), PILUM_HERE)
/* Returns once everything recorded so far is done, on this rank. */
pilum_status pilum_wait_at(pilum_runtime runtime, pilum_place place);
#define pilum_wait(runtime) pilum_wait_at((runtime), PILUM_HERE)

/* This rank, 0 … ranks - 1; how many ranks there are; of all ranks: GPUs or groups of cores; cores that compute. */
pilum_status pilum_rank_at(pilum_runtime runtime, int* out, pilum_place place);
pilum_status pilum_ranks_at(pilum_runtime runtime, int* out, pilum_place place);
pilum_status pilum_processors_at(pilum_runtime runtime, int* out, pilum_place place);
pilum_status pilum_cores_at(pilum_runtime runtime, int* out, pilum_place place);
#define pilum_rank(runtime, out) pilum_rank_at((runtime), (out), PILUM_HERE)
#define pilum_ranks(runtime, out) pilum_ranks_at((runtime), (out), PILUM_HERE)
#define pilum_processors(runtime, out) pilum_processors_at((runtime), (out), PILUM_HERE)
#define pilum_cores(runtime, out) pilum_cores_at((runtime), (out), PILUM_HERE)
/* How ranks talk: "self", "mpi" or "ucx". The text lives as long as the process. */
pilum_status pilum_transport_at(pilum_runtime runtime, const char** out, pilum_place place);
#define pilum_transport(runtime, out) pilum_transport_at((runtime), (out), PILUM_HERE)

/* ---- Handles ---- */

/* Lets go of the handle, and sets *array to NULL. The cells go when no handle, view or recorded operation needs them.
 * Of NULL it does nothing. */
pilum_status pilum_release_at(pilum_array* array, pilum_place place);
#define pilum_release(array) pilum_release_at((array), PILUM_HERE)
/* Another handle on the same cells; to be released too. */
pilum_status pilum_duplicate_at(pilum_array array, pilum_array* out, pilum_place place);
#define pilum_duplicate(array, out) pilum_duplicate_at((array), (out), PILUM_HERE)
/* How many handles of arrays this thread holds: 0 where all were released. */
size_t pilum_live_arrays(void);

/* What is known without waiting. */
pilum_status pilum_get_shape_at(pilum_array array, pilum_shape* out, pilum_place place);
pilum_status pilum_get_dtype_at(pilum_array array, pilum_dtype* out, pilum_place place);
pilum_status pilum_get_size_at(pilum_array array, int64_t* out, pilum_place place);
#define pilum_get_shape(array, out) pilum_get_shape_at((array), (out), PILUM_HERE)
#define pilum_get_dtype(array, out) pilum_get_dtype_at((array), (out), PILUM_HERE)
#define pilum_get_size(array, out) pilum_get_size_at((array), (out), PILUM_HERE) /* the number of cells */
/* "float64"; bytes of an element, 0 for what is no dtype. */
const char* pilum_dtype_name(pilum_dtype dtype);
size_t pilum_dtype_size(pilum_dtype dtype);

/* ---- Views ---- */

/* array[i, j:k:step, ...] as in Python: pilum_view(grid, &inner, PILUM_SLICE(1, -1), PILUM_ALL). No data moves; writing
 * the view writes the array. Numbers drop their axis; slices are clamped. */
pilum_status pilum_view_at(pilum_array array, pilum_indices indices, pilum_array* out, pilum_place place);
#define pilum_view(array, out, ...) pilum_view_at((array), PILUM_INDICES(__VA_ARGS__), (out), PILUM_HERE)
/* array[…] = value, an array or a number: pilum_set(grid, 40.0, 0, PILUM_ALL). */
pilum_status pilum_set_at(pilum_array array, pilum_operand value, pilum_indices indices, pilum_place place);
#define pilum_set(array, value, ...) pilum_set_at((array), PILUM_OPERAND(value), PILUM_INDICES(__VA_ARGS__), PILUM_HERE)

/* ---- Cells, to and from memory ---- */

/* A new array of these cells, row-major, copied at once. The dtype is the pointer's: bool, int32_t, int64_t, float,
 * double. */
pilum_status pilum_from_memory_at(const void* cells, pilum_dtype dtype, pilum_shape shape, pilum_array* out,
                                  pilum_place place);
#define pilum_from_memory(cells, shape, out) \
  pilum_from_memory_at((cells), PILUM_DTYPE_OF(cells), (shape), (out), PILUM_HERE)
/* All cells, row-major, to `count` cells of the caller's, which are as many as the array has; of the array's dtype.
 * Waits for the value; on every rank. */
pilum_status pilum_to_memory_at(pilum_array array, pilum_dtype dtype, void* cells, size_t count, pilum_place place);
#define pilum_to_memory(array, cells, count) \
  pilum_to_memory_at((array), PILUM_DTYPE_OF(cells), (cells), (count), PILUM_HERE)
/* The only cell of an array of size 1, to a variable of the array's dtype. Waits for the value; on every rank. */
pilum_status pilum_item_at(pilum_array array, pilum_dtype dtype, void* cell, pilum_place place);
#define pilum_item(array, cell) pilum_item_at((array), PILUM_DTYPE_OF(cell), (cell), PILUM_HERE)

/* To a file of NumPy's format, and from one (numpy.save, numpy.load): each processor writes and reads its cells. They
 * wait; what one rank meets is an error on all. pilum/io.h says more. */
pilum_status pilum_save_at(const char* path, pilum_array array, pilum_place place);
pilum_status pilum_load_at(const char* path, pilum_array* out, pilum_place place);
#define pilum_save(path, array) pilum_save_at((path), (array), PILUM_HERE)
#define pilum_load(path, out) pilum_load_at((path), (out), PILUM_HERE)

/* To standard output, as NumPy prints it, with a newline. Waits for the value; on every rank. */
pilum_status pilum_print_at(pilum_array array, pilum_place place);
#define pilum_print(array) pilum_print_at((array), PILUM_HERE)
/* The same text, without the newline, cut to `size` bytes with the '\0'; *length is that of the whole. As snprintf. */
pilum_status pilum_to_string_at(pilum_array array, char* text, size_t size, size_t* length, pilum_place place);
#define pilum_to_string(array, text, size, length) pilum_to_string_at((array), (text), (size), (length), PILUM_HERE)

#pragma GCC visibility pop
#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
