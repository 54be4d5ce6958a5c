#pragma once
/// @file
/// MINNOW_AVX512_BEGIN() ... MINNOW_AVX512_END(): the functions between them are compiled for AVX-512 with its bf16
/// products, whatever the rest of the program is compiled for. Only call them after a look at the processor. Headers of
/// others must be included above: their inline functions have to stay runnable everywhere.

#if defined(__x86_64__)
#include <immintrin.h>
#define MINNOW_AVX512_SET "avx512f,avx512bw,avx512vl,avx512dq,avx512bf16"
#define MINNOW_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define MINNOW_PRAGMA_OF(...) MINNOW_PRAGMA(__VA_ARGS__)
#if defined(__clang__)
#define MINNOW_AVX512_PUSH \
  MINNOW_PRAGMA_OF(clang attribute push(__attribute__((target(MINNOW_AVX512_SET))), apply_to = function))
#define MINNOW_AVX512_POP _Pragma("clang attribute pop")
#else
// g++ 12 takes what the intrinsics leave undefined on purpose for a fault of the caller (GCC's bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#define MINNOW_AVX512_PUSH _Pragma("GCC push_options") MINNOW_PRAGMA_OF(GCC target(MINNOW_AVX512_SET))
#define MINNOW_AVX512_POP _Pragma("GCC pop_options")
#endif
#define MINNOW_AVX512_BEGIN() MINNOW_AVX512_PUSH static_assert(true, "asks for a semicolon")
#define MINNOW_AVX512_END() MINNOW_AVX512_POP static_assert(true, "asks for a semicolon")
#endif
