// Code that is compiled with the library and, as a text, for GPUs: both have the same bits.
#pragma once

// Loops whose cells are in registers where they are unrolled.
#ifdef __clang__
#define PILUM_UNROLL _Pragma("unroll")
#else
#define PILUM_UNROLL _Pragma("GCC unroll 8")
#endif

// The text as code, and as the string `name`.
#define PILUM_CODE_AND_TEXT(name, ...)                                                                         \
  __VA_ARGS__                                                                                                  \
  inline constexpr const char* name =                                                                          \
      "#ifndef PILUM_UNROLL\n#ifdef __CUDACC_RTC__\n#define PILUM_UNROLL _Pragma(\"unroll\")\n#else\n#define " \
      "PILUM_UNROLL\n#endif\n#endif\n" #__VA_ARGS__;
