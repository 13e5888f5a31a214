#pragma once

/// KML_VECTORIZE before a function compiles it for several instruction sets. When the program starts, the
/// best version that the CPU supports is chosen, so one binary is fast on every x86-64 machine. The bits of a
/// result depend on this choice, because only some versions use fused multiply-add. KML_VECTORIZE does
/// nothing in a build with sanitizers, because such a program crashes in the start-up code that chooses.
/// KML_AVX512 compiles a function only for x86-64-v4; its callers must check that the CPU supports that.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define KML_VECTORIZE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define KML_AVX512 __attribute__((target("arch=x86-64-v4")))
#else
#define KML_VECTORIZE
#endif
