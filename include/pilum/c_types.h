/* What the functions of Pilum's C interface take and return. C11, and C++ as well. Include pilum/c.h. */
#ifndef PILUM_C_TYPES_H
#define PILUM_C_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PILUM_MAX_AXES 8

/* What every function returns: PILUM_OK, or what went wrong; pilum_error_message() says it in words. */
typedef enum pilum_status {
  PILUM_OK = 0,
  PILUM_SHAPE_ERROR = 1,   /* shapes that do not fit one another, too many axes, a negative extent */
  PILUM_INDEX_ERROR = 2,   /* an index outside its axis, too many indices */
  PILUM_DTYPE_ERROR = 3,   /* dtypes that do not mix, or a value read as another type */
  PILUM_VALUE_ERROR = 4,   /* any other unusable value: a null handle, a slice step of 0 */
  PILUM_MEMORY_ERROR = 5,  /* more memory was asked for than there is */
  PILUM_RUNTIME_ERROR = 6, /* the machine, a peer, a compiler or the launcher cannot do what is needed */
  PILUM_HANDLE_ERROR = 7,  /* a handle that was released, or never made */
  PILUM_OTHER_ERROR = 8    /* none of these */
} pilum_status;

/* The types of arrays' elements: C's bool, int8_t to int64_t, uint8_t to uint64_t, float, double and the complex
 * numbers of these (C's float _Complex, C++'s std::complex<float>). An int, so that a value which is none of them can
 * be told apart. */
typedef int pilum_dtype;
enum pilum_dtypes {
  PILUM_BOOL = 0,
  PILUM_INT32 = 1,
  PILUM_INT64 = 2,
  PILUM_FLOAT32 = 3,
  PILUM_FLOAT64 = 4,
  PILUM_INT8 = 5,
  PILUM_INT16 = 6,
  PILUM_UINT8 = 7,
  PILUM_UINT16 = 8,
  PILUM_UINT32 = 9,
  PILUM_UINT64 = 10,
  PILUM_COMPLEX64 = 11,
  PILUM_COMPLEX128 = 12,
  PILUM_FLOAT16 = 13, /* IEEE's 16 bits: C++'s pilum::half; C says it: pilum_item_at(a, PILUM_FLOAT16, …) */
  PILUM_NATURAL = -1  /* what the numbers are: PILUM_BOOL, PILUM_INT64 or PILUM_FLOAT64; an array's own */
};

/* Handles. They are names, not addresses: one that was released, or never made, is refused wherever it is used. */
typedef struct pilum_runtime_handle* pilum_runtime;
typedef struct pilum_array_handle* pilum_array;
typedef struct pilum_task_handle* pilum_task;

/* The line that a call is written on. Errors name it. The macros without _at fill it in. */
typedef struct pilum_place {
  const char* file; /* copied where it is kept; NULL: unknown */
  int64_t line;
} pilum_place;

/* An argument that is an array or a number. Numbers are weak, as in C++ and in NumPy 2: they take the dtype of the
 * array that they meet, where its kind (bool < integer < floating) is at least their own. */
typedef struct pilum_operand {
  int64_t kind; /* pilum_operand_kind */
  int64_t bits; /* the handle, the number, or a double's bits */
} pilum_operand;
typedef enum pilum_operand_kind {
  PILUM_OPERAND_ARRAY = 0,
  PILUM_OPERAND_BOOL = 1,
  PILUM_OPERAND_INTEGER = 2,
  PILUM_OPERAND_UNSIGNED = 3,
  PILUM_OPERAND_FLOATING = 4
} pilum_operand_kind;

/* Extents, outermost first. Made by PILUM_SHAPE(3, 4); PILUM_SCALAR has no axes and one cell. More than 8 are counted,
 * not kept, and refused where the shape is used. */
typedef struct pilum_shape {
  int64_t rank;
  int64_t extent[PILUM_MAX_AXES];
} pilum_shape;

/* Which axes a reduction folds, or their order in a transpose: PILUM_AXES(0, -1). PILUM_ALL_AXES: all (transpose:
 * reversed). */
typedef struct pilum_axes {
  int64_t count;
  int64_t axis[PILUM_MAX_AXES];
} pilum_axes;

/* One entry of an index: a number, PILUM_SLICE(start, stop), PILUM_STEPS(start, stop, step), PILUM_ALL, PILUM_NEW_AXIS
 * or PILUM_ELLIPSIS. Negative numbers count from the end. PILUM_NONE leaves a side of a slice open. */
typedef struct pilum_index {
  int64_t kind; /* pilum_index_kind */
  int64_t start, stop, step;
} pilum_index;
typedef enum pilum_index_kind {
  PILUM_INDEX_POSITION = 1,
  PILUM_INDEX_SLICE = 2,
  PILUM_INDEX_ALL = 3,
  PILUM_INDEX_NEW_AXIS = 4,
  PILUM_INDEX_ELLIPSIS = 5,
  PILUM_INDEX_NOTHING = 6 /* refused: what Fortran's 0 is */
} pilum_index_kind;
#define PILUM_NONE INT64_MIN
/* The entries of one index, made by PILUM_INDICES(0, PILUM_ALL). Lives as long as the call. */
typedef struct pilum_indices {
  size_t count;
  const pilum_index* list;
} pilum_indices;

#ifdef __cplusplus
} /* extern "C" */
#endif

static inline pilum_place pilum_make_place(const char* file, int64_t line) {
  pilum_place place;
  place.file = file;
  place.line = line;
  return place;
}
#define PILUM_HERE pilum_make_place(__FILE__, __LINE__)

static inline pilum_operand pilum_make_operand(pilum_operand_kind kind, int64_t bits) {
  pilum_operand operand;
  operand.kind = kind;
  operand.bits = bits;
  return operand;
}
static inline pilum_operand pilum_operand_same(pilum_operand operand) {
  return operand;
}
static inline pilum_operand pilum_operand_array(pilum_array array) {
  return pilum_make_operand(PILUM_OPERAND_ARRAY, (int64_t)(intptr_t)array);
}
static inline pilum_operand pilum_operand_bool(bool number) {
  return pilum_make_operand(PILUM_OPERAND_BOOL, number);
}
static inline pilum_operand pilum_operand_integer(int64_t number) {
  return pilum_make_operand(PILUM_OPERAND_INTEGER, number);
}
static inline pilum_operand pilum_operand_unsigned(uint64_t number) {
  return pilum_make_operand(PILUM_OPERAND_UNSIGNED, (int64_t)number);
}
static inline pilum_operand pilum_operand_floating(double number) {
  union {
    double number;
    int64_t bits;
  } value;
  value.number = number;
  return pilum_make_operand(PILUM_OPERAND_FLOATING, value.bits);
}

static inline pilum_shape pilum_make_shape(size_t rank, const int64_t* extents) {
  pilum_shape shape = {0, {0}};
  shape.rank = (int64_t)rank;
  for (size_t axis = 0; axis < rank && axis < PILUM_MAX_AXES; ++axis) shape.extent[axis] = extents[axis];
  return shape;
}
static inline pilum_axes pilum_make_axes(size_t count, const int64_t* list) {
  pilum_axes axes = {0, {0}};
  axes.count = (int64_t)count;
  for (size_t place = 0; place < count && place < PILUM_MAX_AXES; ++place) axes.axis[place] = list[place];
  return axes;
}
#define PILUM_SCALAR pilum_make_shape(0, NULL)
#define PILUM_ALL_AXES pilum_make_axes(0, NULL)

static inline pilum_index pilum_make_index(pilum_index_kind kind, int64_t start, int64_t stop, int64_t step) {
  pilum_index index;
  index.kind = kind;
  index.start = start;
  index.stop = stop;
  index.step = step;
  return index;
}
static inline pilum_index pilum_index_same(pilum_index index) {
  return index;
}
static inline pilum_index pilum_index_position(int64_t position) {
  return pilum_make_index(PILUM_INDEX_POSITION, position, 0, 1);
}
/* An unsigned number is never taken for a negative one. */
static inline pilum_index pilum_index_unsigned(uint64_t position) {
  return pilum_index_position(position > INT64_MAX ? INT64_MAX : (int64_t)position);
}
#define PILUM_SLICE(start, stop) pilum_make_index(PILUM_INDEX_SLICE, (start), (stop), 1)
#define PILUM_STEPS(start, stop, step) pilum_make_index(PILUM_INDEX_SLICE, (start), (stop), (step))
#define PILUM_ALL pilum_make_index(PILUM_INDEX_ALL, 0, 0, 1)
#define PILUM_NEW_AXIS pilum_make_index(PILUM_INDEX_NEW_AXIS, 0, 0, 1)
#define PILUM_ELLIPSIS pilum_make_index(PILUM_INDEX_ELLIPSIS, 0, 0, 1)

/* From here on: how the macros find out what they were given. */

/* macro(a), macro(b), …: of up to 16 arguments. */
#define PILUM_EACH_1(macro, a) macro(a)
#define PILUM_EACH_2(macro, a, ...) macro(a), PILUM_EACH_1(macro, __VA_ARGS__)
#define PILUM_EACH_3(macro, a, ...) macro(a), PILUM_EACH_2(macro, __VA_ARGS__)
#define PILUM_EACH_4(macro, a, ...) macro(a), PILUM_EACH_3(macro, __VA_ARGS__)
#define PILUM_EACH_5(macro, a, ...) macro(a), PILUM_EACH_4(macro, __VA_ARGS__)
#define PILUM_EACH_6(macro, a, ...) macro(a), PILUM_EACH_5(macro, __VA_ARGS__)
#define PILUM_EACH_7(macro, a, ...) macro(a), PILUM_EACH_6(macro, __VA_ARGS__)
#define PILUM_EACH_8(macro, a, ...) macro(a), PILUM_EACH_7(macro, __VA_ARGS__)
#define PILUM_EACH_9(macro, a, ...) macro(a), PILUM_EACH_8(macro, __VA_ARGS__)
#define PILUM_EACH_10(macro, a, ...) macro(a), PILUM_EACH_9(macro, __VA_ARGS__)
#define PILUM_EACH_11(macro, a, ...) macro(a), PILUM_EACH_10(macro, __VA_ARGS__)
#define PILUM_EACH_12(macro, a, ...) macro(a), PILUM_EACH_11(macro, __VA_ARGS__)
#define PILUM_EACH_13(macro, a, ...) macro(a), PILUM_EACH_12(macro, __VA_ARGS__)
#define PILUM_EACH_14(macro, a, ...) macro(a), PILUM_EACH_13(macro, __VA_ARGS__)
#define PILUM_EACH_15(macro, a, ...) macro(a), PILUM_EACH_14(macro, __VA_ARGS__)
#define PILUM_EACH_16(macro, a, ...) macro(a), PILUM_EACH_15(macro, __VA_ARGS__)
#define PILUM_CHOOSE(macro, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, chosen, ...) chosen
#define PILUM_EACH(...)                                                                                               \
  PILUM_CHOOSE(__VA_ARGS__, PILUM_EACH_16, PILUM_EACH_15, PILUM_EACH_14, PILUM_EACH_13, PILUM_EACH_12, PILUM_EACH_11, \
               PILUM_EACH_10, PILUM_EACH_9, PILUM_EACH_8, PILUM_EACH_7, PILUM_EACH_6, PILUM_EACH_5, PILUM_EACH_4,     \
               PILUM_EACH_3, PILUM_EACH_2, PILUM_EACH_1, )                                                            \
  (__VA_ARGS__)

#ifdef __cplusplus
#include <complex>
#include <limits>
#include <type_traits>

template <class T>
inline pilum_operand pilum_operand_of(T value) {
  if constexpr (std::is_same_v<T, pilum_operand>) {
    return value;
  } else if constexpr (std::is_same_v<T, pilum_array>) {
    return pilum_operand_array(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return pilum_operand_bool(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return pilum_operand_floating(static_cast<double>(value));
  } else if constexpr (std::is_unsigned_v<T>) {
    return pilum_operand_unsigned(value);
  } else {
    static_assert(std::is_integral_v<T>, "an operand is a pilum_array or a number");
    return pilum_operand_integer(value);
  }
}
template <class T>
inline pilum_index pilum_index_of(T value) {
  if constexpr (std::is_same_v<T, pilum_index>) {
    return value;
  } else if constexpr (std::is_unsigned_v<T>) {
    return pilum_index_unsigned(value);
  } else {
    return pilum_index_position(value);
  }
}
inline pilum_dtype pilum_dtype_of(const std::complex<float>*) {
  return PILUM_COMPLEX64;
}
inline pilum_dtype pilum_dtype_of(const std::complex<double>*) {
  return PILUM_COMPLEX128;
}
template <class T>
inline pilum_dtype pilum_dtype_of(const T*) {
  constexpr bool is_half = sizeof(T) == 2 && std::numeric_limits<T>::digits == 11;
  static_assert(is_half || std::is_same_v<T, bool> || std::is_same_v<T, float> || std::is_same_v<T, double> ||
                    (std::is_integral_v<T> && !std::is_same_v<T, char> && sizeof(T) <= 8),
                "cells are bool, integers of 8 to 64 bits, pilum::half, float, double or std::complex of these");
  if (std::is_same_v<T, bool>) return PILUM_BOOL;
  if (is_half) return PILUM_FLOAT16;
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? PILUM_FLOAT32 : PILUM_FLOAT64;
  if (std::is_signed_v<T>) {
    return sizeof(T) == 1 ? PILUM_INT8 : sizeof(T) == 2 ? PILUM_INT16 : sizeof(T) == 4 ? PILUM_INT32 : PILUM_INT64;
  }
  return sizeof(T) == 1 ? PILUM_UINT8 : sizeof(T) == 2 ? PILUM_UINT16 : sizeof(T) == 4 ? PILUM_UINT32 : PILUM_UINT64;
}
template <class T, size_t kCount>
struct pilum_list {
  T values[kCount];
};
template <class T, class... Values>
inline pilum_list<T, sizeof...(Values)> pilum_list_of(Values... values) {
  return {{static_cast<T>(values)...}};
}
template <class... Values>
char (&pilum_counted(const Values&...))[sizeof...(Values) + 1]; /* for sizeof */
template <class... Values>
inline pilum_list<pilum_index, sizeof...(Values)> pilum_indices_of(Values... values) {
  return {{pilum_index_of(values)...}};
}
template <size_t kCount>
inline pilum_indices pilum_make_indices(const pilum_list<pilum_index, kCount>& list) {
  return {kCount, list.values};
}
template <size_t kCount>
inline pilum_shape pilum_shape_of(const pilum_list<int64_t, kCount>& list) {
  return pilum_make_shape(kCount, list.values);
}
template <size_t kCount>
inline pilum_axes pilum_axes_of(const pilum_list<int64_t, kCount>& list) {
  return pilum_make_axes(kCount, list.values);
}

/* A list of values of one type, and how many there are. It lives as long as the expression that it stands in. */
#define PILUM_LIST(type, ...) pilum_list_of<type>(__VA_ARGS__).values
#define PILUM_LIST_COUNT(type, ...) (sizeof(pilum_counted(__VA_ARGS__)) - 1)
#define PILUM_LIST_EACH(type, macro, ...) pilum_list_of<type>(PILUM_EACH(macro, __VA_ARGS__)).values
#define PILUM_LIST_EACH_COUNT(type, macro, ...) (sizeof(pilum_counted(__VA_ARGS__)) - 1)

#define PILUM_OPERAND(...) pilum_operand_of(__VA_ARGS__)
#define PILUM_SHAPE(...) pilum_shape_of(pilum_list_of<int64_t>(__VA_ARGS__))
#define PILUM_AXES(...) pilum_axes_of(pilum_list_of<int64_t>(__VA_ARGS__))
#define PILUM_DTYPE_OF(pointer) pilum_dtype_of(pointer)
#define PILUM_INDICES(...) pilum_make_indices(pilum_indices_of(__VA_ARGS__))

#else

#define PILUM_OPERAND(...)                        \
  _Generic((__VA_ARGS__),                         \
      pilum_operand: pilum_operand_same,          \
      pilum_array: pilum_operand_array,           \
      bool: pilum_operand_bool,                   \
      signed char: pilum_operand_integer,         \
      short: pilum_operand_integer,               \
      int: pilum_operand_integer,                 \
      long: pilum_operand_integer,                \
      long long: pilum_operand_integer,           \
      unsigned char: pilum_operand_unsigned,      \
      unsigned short: pilum_operand_unsigned,     \
      unsigned: pilum_operand_unsigned,           \
      unsigned long: pilum_operand_unsigned,      \
      unsigned long long: pilum_operand_unsigned, \
      float: pilum_operand_floating,              \
      double: pilum_operand_floating)(__VA_ARGS__)

/* A list of values of one type, and how many there are. It lives as long as the block that it stands in. */
#define PILUM_LIST(type, ...) ((const type[]){__VA_ARGS__})
#define PILUM_LIST_COUNT(type, ...) (sizeof((const type[]){__VA_ARGS__}) / sizeof(type))
#define PILUM_LIST_EACH(type, macro, ...) PILUM_LIST(type, PILUM_EACH(macro, __VA_ARGS__))
#define PILUM_LIST_EACH_COUNT(type, macro, ...) PILUM_LIST_COUNT(type, PILUM_EACH(macro, __VA_ARGS__))

#define PILUM_SHAPE(...) pilum_make_shape(PILUM_LIST_COUNT(int64_t, __VA_ARGS__), PILUM_LIST(int64_t, __VA_ARGS__))
#define PILUM_AXES(...) pilum_make_axes(PILUM_LIST_COUNT(int64_t, __VA_ARGS__), PILUM_LIST(int64_t, __VA_ARGS__))

#define PILUM_DTYPE_OF(pointer)                                              \
  _Generic((pointer),                                                        \
      bool*: PILUM_BOOL,                                                     \
      const bool*: PILUM_BOOL,                                               \
      signed char*: PILUM_INT8,                                              \
      const signed char*: PILUM_INT8,                                        \
      short*: PILUM_INT16,                                                   \
      const short*: PILUM_INT16,                                             \
      int*: PILUM_INT32,                                                     \
      const int*: PILUM_INT32,                                               \
      long*: sizeof(long) == 4 ? PILUM_INT32 : PILUM_INT64,                  \
      const long*: sizeof(long) == 4 ? PILUM_INT32 : PILUM_INT64,            \
      long long*: PILUM_INT64,                                               \
      const long long*: PILUM_INT64,                                         \
      unsigned char*: PILUM_UINT8,                                           \
      const unsigned char*: PILUM_UINT8,                                     \
      unsigned short*: PILUM_UINT16,                                         \
      const unsigned short*: PILUM_UINT16,                                   \
      unsigned*: PILUM_UINT32,                                               \
      const unsigned*: PILUM_UINT32,                                         \
      unsigned long*: sizeof(long) == 4 ? PILUM_UINT32 : PILUM_UINT64,       \
      const unsigned long*: sizeof(long) == 4 ? PILUM_UINT32 : PILUM_UINT64, \
      unsigned long long*: PILUM_UINT64,                                     \
      const unsigned long long*: PILUM_UINT64,                               \
      float*: PILUM_FLOAT32,                                                 \
      const float*: PILUM_FLOAT32,                                           \
      double*: PILUM_FLOAT64,                                                \
      const double*: PILUM_FLOAT64,                                          \
      float _Complex*: PILUM_COMPLEX64,                                      \
      const float _Complex*: PILUM_COMPLEX64,                                \
      double _Complex*: PILUM_COMPLEX128,                                    \
      const double _Complex*: PILUM_COMPLEX128)

/* Numbers stand for themselves among indices. */
#define PILUM_INDEX(...)                    \
  _Generic((__VA_ARGS__),                   \
      pilum_index: pilum_index_same,        \
      signed char: pilum_index_position,    \
      short: pilum_index_position,          \
      int: pilum_index_position,            \
      long: pilum_index_position,           \
      long long: pilum_index_position,      \
      unsigned char: pilum_index_unsigned,  \
      unsigned short: pilum_index_unsigned, \
      unsigned: pilum_index_unsigned,       \
      unsigned long: pilum_index_unsigned,  \
      unsigned long long: pilum_index_unsigned)(__VA_ARGS__)
static inline pilum_indices pilum_make_indices(size_t count, const pilum_index* list) {
  pilum_indices indices;
  indices.count = count;
  indices.list = list;
  return indices;
}
#define PILUM_INDICES(...)                                                         \
  pilum_make_indices(PILUM_LIST_EACH_COUNT(pilum_index, PILUM_INDEX, __VA_ARGS__), \
                     PILUM_LIST_EACH(pilum_index, PILUM_INDEX, __VA_ARGS__))

#endif

#endif
