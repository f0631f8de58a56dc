/* User-defined tasks for C: a body over pieces of arrays, launched over a domain. pilum/task.h has the whole story.
 *
 *   static void smooth(const pilum_piece* piece, const pilum_cells* arrays, const pilum_number* numbers) {
 *     const pilum_cells *in = &arrays[0], *out = &arrays[1];
 *     for (int64_t i = piece->lo[0]; i < piece->hi[0]; ++i) {
 *       const double left = i > in->lo[0] ? PILUM_CELL(double, in, i - 1) : 0;
 *       PILUM_CELL(double, out, i) = left + numbers[0].real * PILUM_CELL(double, in, i);
 *     }
 *   }
 *   pilum_task_create("smooth", smooth, &task, PILUM_READS(PILUM_FLOAT64, 1), PILUM_WRITES(PILUM_FLOAT64, 1),
 * PILUM_TAKES_REAL); pilum_launch(task, PILUM_SHAPE(n), pilum_halo(a, 1, 0), b, 0.5);
 *
 * Include pilum/c.h.
 */
#ifndef PILUM_C_TASKS_H
#define PILUM_C_TASKS_H

#include "pilum/c_types.h"

/* Bodies' accesses by PILUM_CELL are checked. On unless NDEBUG is defined; define it as 0 or 1 to choose. */
#ifndef PILUM_CHECK_BOUNDS
#ifdef NDEBUG
#define PILUM_CHECK_BOUNDS 0
#else
#define PILUM_CHECK_BOUNDS 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The points lo <= x < hi, axis by axis. */
typedef struct pilum_piece {
  int64_t rank;
  int64_t lo[PILUM_MAX_AXES], hi[PILUM_MAX_AXES];
} pilum_piece;

/* An array, as a body sees it: what it may touch, lo <= index < hi, in the array's own indices. The cell at (lo[0],
 * lo[1], …) is *first; neighbours along an axis lie `stride` cells apart. */
typedef struct pilum_cells {
  void* first;
  int64_t lo[PILUM_MAX_AXES], hi[PILUM_MAX_AXES], stride[PILUM_MAX_AXES];
} pilum_cells;

typedef union pilum_number {
  double real;
  int64_t integer;
} pilum_number;

/* A body: computes the points of `piece`. The arrays and the numbers stand in the order of the task's parameters of
 * either kind. It is called on any thread, several at once, and calls nothing of Pilum but pilum_fail. */
typedef void (*pilum_body)(const pilum_piece* piece, const pilum_cells* arrays, const pilum_number* numbers);

/* What a body takes at one place. */
typedef enum pilum_access {
  PILUM_READ = 0,       /* the values from before the launch */
  PILUM_WRITE = 1,      /* what was there is lost; the body writes every cell that it may touch */
  PILUM_READ_WRITE = 2, /* what was there may be read and written */
  PILUM_REDUCE = 3,     /* a private array of the whole shape, of the fold's identity; the body folds into it */
  PILUM_REAL = 4,       /* a number: pilum_number's real */
  PILUM_INTEGER = 5     /* a number: pilum_number's integer */
} pilum_access;
typedef struct pilum_parameter {
  int64_t access; /* pilum_access */
  int64_t dtype;  /* pilum_dtype, of an array */
  int64_t rank;   /* of an array: its number of axes */
} pilum_parameter;

/* How the contributions of a launch's points become one value. */
typedef enum pilum_fold_kind { PILUM_SUM = 0, PILUM_PRODUCT = 1, PILUM_MINIMUM = 2, PILUM_MAXIMUM = 3 } pilum_fold_kind;

/* The cells of one axis of an array that belong to a point x: `extent` of them, from offset + scale * x[axis] on; with
 * an axis of -1, from `offset` on. Clipped at the array's ends. */
typedef struct pilum_axis_cells {
  int64_t axis, scale, offset, extent;
} pilum_axis_cells;

/* Which cells of an array belong to a point of the domain: `point` is a piece of one point, `box` is to be filled in.
 * Pure: every rank calls it, also for points that others compute. */
typedef void (*pilum_box_function)(const pilum_piece* point, pilum_piece* box);

/* An argument of a launch: a number, or an array and its projection. An array alone is aligned. */
typedef struct pilum_argument {
  int64_t kind; /* pilum_argument_kind */
  pilum_operand value;
  int64_t fold;  /* pilum_fold_kind */
  int64_t count; /* of the widths, or of the axes */
  int64_t low[PILUM_MAX_AXES], high[PILUM_MAX_AXES];
  pilum_axis_cells axes[PILUM_MAX_AXES];
  pilum_box_function function;
} pilum_argument;
typedef enum pilum_argument_kind {
  PILUM_ARGUMENT_PLAIN = 0,
  PILUM_ARGUMENT_HALO = 1,
  PILUM_ARGUMENT_WHOLE = 2,
  PILUM_ARGUMENT_AFFINE = 3,
  PILUM_ARGUMENT_FUNCTION = 4,
  PILUM_ARGUMENT_FOLD = 5
} pilum_argument_kind;

/* A task that users know as `name`. `gpu` is a body for GPUs, CUDA C++ text as pilum/task.h says, whose parameters are
 * pilum::Read and the like, double and std::int64_t; NULL: on GPUs the task runs on the host. Release it with
 * pilum_task_release; what was launched runs all the same. */
pilum_status pilum_task_create_at(const char* name, pilum_body body, const char* gpu, const pilum_parameter* parameters,
                                  size_t count, pilum_task* out, pilum_place place);
#define pilum_task_create(name, body, out, ...)                                        \
  pilum_task_create_at((name), (body), NULL, PILUM_LIST(pilum_parameter, __VA_ARGS__), \
                       PILUM_LIST_COUNT(pilum_parameter, __VA_ARGS__), (out), PILUM_HERE)
#define pilum_task_create_gpu(name, body, gpu, out, ...)                                \
  pilum_task_create_at((name), (body), (gpu), PILUM_LIST(pilum_parameter, __VA_ARGS__), \
                       PILUM_LIST_COUNT(pilum_parameter, __VA_ARGS__), (out), PILUM_HERE)
pilum_status pilum_task_release_at(pilum_task* task, pilum_place place);
#define pilum_task_release(task) pilum_task_release_at((task), PILUM_HERE)

/* Records a launch over the domain, with an argument for each parameter: a pilum_array, one of the projections below,
 * or a number. Errors as of pilum::Task; what is wrong in a body ends the run, with the task's name and this line. */
pilum_status pilum_launch_at(pilum_task task, pilum_shape domain, const pilum_argument* arguments, size_t count,
                             pilum_place place);
#define pilum_launch(task, domain, ...)                                                           \
  pilum_launch_at((task), (domain), PILUM_LIST_EACH(pilum_argument, PILUM_ARGUMENT, __VA_ARGS__), \
                  PILUM_LIST_EACH_COUNT(pilum_argument, PILUM_ARGUMENT, __VA_ARGS__), PILUM_HERE)

/* From within a body: the run ends with this message, which is copied. The body is to return. */
void pilum_fail(const char* message);
/* Of PILUM_CELL: notes the mistake, and gives a cell that nobody reads. */
void* pilum_out_of_bounds(const pilum_cells* cells, int64_t rank, const int64_t* index);

#pragma GCC visibility pop
#ifdef __cplusplus
} /* extern "C" */
#endif

static inline pilum_parameter pilum_make_parameter(pilum_access access, pilum_dtype dtype, int64_t rank) {
  pilum_parameter parameter;
  parameter.access = access;
  parameter.dtype = dtype;
  parameter.rank = rank;
  return parameter;
}
#define PILUM_READS(dtype, rank) pilum_make_parameter(PILUM_READ, (dtype), (rank))
#define PILUM_WRITES(dtype, rank) pilum_make_parameter(PILUM_WRITE, (dtype), (rank))
#define PILUM_READS_AND_WRITES(dtype, rank) pilum_make_parameter(PILUM_READ_WRITE, (dtype), (rank))
#define PILUM_REDUCES(dtype, rank) pilum_make_parameter(PILUM_REDUCE, (dtype), (rank))
#define PILUM_TAKES_REAL pilum_make_parameter(PILUM_REAL, PILUM_FLOAT64, 0)
#define PILUM_TAKES_INTEGER pilum_make_parameter(PILUM_INTEGER, PILUM_INT64, 0)

static inline pilum_argument pilum_make_argument(pilum_argument_kind kind, pilum_operand value) {
  pilum_argument argument = {0, {0, 0}, 0, 0, {0}, {0}, {{0, 0, 0, 0}}, NULL};
  argument.kind = kind;
  argument.value = value;
  return argument;
}
static inline pilum_argument pilum_argument_same(pilum_argument argument) {
  return argument;
}
static inline pilum_argument pilum_argument_array(pilum_array array) {
  return pilum_make_argument(PILUM_ARGUMENT_PLAIN, pilum_operand_array(array));
}
static inline pilum_argument pilum_argument_integer(int64_t number) {
  return pilum_make_argument(PILUM_ARGUMENT_PLAIN, pilum_operand_integer(number));
}
static inline pilum_argument pilum_argument_unsigned(uint64_t number) {
  return pilum_make_argument(PILUM_ARGUMENT_PLAIN, pilum_operand_unsigned(number));
}
static inline pilum_argument pilum_argument_floating(double number) {
  return pilum_make_argument(PILUM_ARGUMENT_PLAIN, pilum_operand_floating(number));
}
/* Aligned, and `low` cells more before, `high` after, along every axis of the domain; clipped at the array's ends. */
static inline pilum_argument pilum_halo(pilum_array array, int64_t low, int64_t high) {
  pilum_argument argument = pilum_make_argument(PILUM_ARGUMENT_HALO, pilum_operand_array(array));
  argument.count = 1;
  argument.low[0] = low;
  argument.high[0] = high;
  return argument;
}
/* The same, axis by axis of the domain. */
static inline pilum_argument pilum_halo_by_axis(pilum_array array, int64_t count, const int64_t* low,
                                                const int64_t* high) {
  pilum_argument argument = pilum_make_argument(PILUM_ARGUMENT_HALO, pilum_operand_array(array));
  argument.count = count;
  for (int64_t axis = 0; axis < count && axis < PILUM_MAX_AXES; ++axis) {
    argument.low[axis] = low[axis];
    argument.high[axis] = high[axis];
  }
  return argument;
}
/* Every point has the whole array. */
static inline pilum_argument pilum_whole(pilum_array array) {
  return pilum_make_argument(PILUM_ARGUMENT_WHOLE, pilum_operand_array(array));
}
/* By axis of the array: which cells of it a point has. */
static inline pilum_argument pilum_affine(pilum_array array, int64_t count, const pilum_axis_cells* axes) {
  pilum_argument argument = pilum_make_argument(PILUM_ARGUMENT_AFFINE, pilum_operand_array(array));
  argument.count = count;
  for (int64_t axis = 0; axis < count && axis < PILUM_MAX_AXES; ++axis) argument.axes[axis] = axes[axis];
  return argument;
}
/* A function of the caller's says which cells a point has. */
static inline pilum_argument pilum_boxes(pilum_array array, pilum_box_function function) {
  pilum_argument argument = pilum_make_argument(PILUM_ARGUMENT_FUNCTION, pilum_operand_array(array));
  argument.function = function;
  return argument;
}
/* Every point may fold into every cell of the array. */
static inline pilum_argument pilum_fold(pilum_array array, pilum_fold_kind fold) {
  pilum_argument argument = pilum_make_argument(PILUM_ARGUMENT_FOLD, pilum_operand_array(array));
  argument.fold = fold;
  return argument;
}

/* The cell at these indices, one for each axis: PILUM_CELL(double, out, i, j) = 1. Where PILUM_CHECK_BOUNDS is 1 an
 * index outside lo … hi - 1 ends the run with an error that names the task, the argument, the index and what is
 * allowed. */
#define PILUM_CELL(type, cells, ...)                                                          \
  (*(type*)pilum_cell((cells), sizeof(type), (int64_t)PILUM_LIST_COUNT(int64_t, __VA_ARGS__), \
                      PILUM_LIST(int64_t, __VA_ARGS__)))
static inline void* pilum_cell(const pilum_cells* cells, size_t size, int64_t rank, const int64_t* index) {
  int64_t offset = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
#if PILUM_CHECK_BOUNDS
    if (index[axis] < cells->lo[axis] || index[axis] >= cells->hi[axis]) return pilum_out_of_bounds(cells, rank, index);
#endif
    offset += (index[axis] - cells->lo[axis]) * cells->stride[axis];
  }
  return (char*)cells->first + offset * (int64_t)size;
}

#ifdef __cplusplus
inline pilum_argument pilum_argument_of(const pilum_argument& argument) {
  return argument;
}
template <class T>
inline pilum_argument pilum_argument_of(T value) {
  return pilum_make_argument(PILUM_ARGUMENT_PLAIN, pilum_operand_of(value));
}
#define PILUM_ARGUMENT(x) pilum_argument_of(x)
#else
#define PILUM_ARGUMENT(...)                        \
  _Generic((__VA_ARGS__),                          \
      pilum_argument: pilum_argument_same,         \
      pilum_array: pilum_argument_array,           \
      bool: pilum_argument_integer,                \
      signed char: pilum_argument_integer,         \
      short: pilum_argument_integer,               \
      int: pilum_argument_integer,                 \
      long: pilum_argument_integer,                \
      long long: pilum_argument_integer,           \
      unsigned char: pilum_argument_unsigned,      \
      unsigned short: pilum_argument_unsigned,     \
      unsigned: pilum_argument_unsigned,           \
      unsigned long: pilum_argument_unsigned,      \
      unsigned long long: pilum_argument_unsigned, \
      float: pilum_argument_floating,              \
      double: pilum_argument_floating)(__VA_ARGS__)
#endif

#endif
