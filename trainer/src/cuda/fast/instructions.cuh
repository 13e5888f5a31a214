#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Instructions for which CUDA C++ has no functions, as the PTX ISA describes them. The emulator has its own
/// version of this file.
namespace trainer::cuda {

/// The block's shared memory, with the size that its launch requested, aligned to 16 bytes.
__device__ inline unsigned char* shared_memory() {
  extern __shared__ uint4 words[];
  return reinterpret_cast<unsigned char*>(words);
}

/// Waits until the previous kernel is complete and its results are visible. Does nothing unless this kernel
/// was launched to overlap with it (launch_after).
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start as soon as all blocks of this kernel have called this function. Call it only
/// after wait_for_previous(). All that the next kernel reads before its own wait was then written by the
/// previous kernel or earlier.
__device__ inline void start_next() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Begins to copy 16 bytes from GPU memory to shared memory, bypassing the first cache. Both must be aligned
/// to 16 bytes.
__device__ inline void copy_later(void* to, const void* from) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}

/// Waits for this thread's copies.
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/// Waits until all blocks of the grid have called this function for the `number`-th time, and their earlier
/// writes are visible (to __ldcg). Only for a kernel started by launch_together(); `arrivals` must be 0 at
/// its start.
__device__ inline void grid_barrier(uint32_t* arrivals, uint32_t number) {
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
    uint32_t arrived;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(arrivals) : "memory");
    } while (arrived < number * gridDim.x);
  }
  __syncthreads();
}

/// Loads four 8 x 8 matrices of 16-bit numbers, transposed. `row` is the start of row `lane % 8` of
/// matrix `lane / 8`, aligned to 16 bytes. Each lane gets, of each matrix, the elements in column lane / 4 of
/// rows 2 (lane % 4) and 2 (lane % 4) + 1.
__device__ inline void load_transposed(uint32_t (&out)[4], const void* row) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(address));
}

/// Like load_transposed(), but without transposing: each lane gets, of each matrix, the elements in columns 2
/// (lane % 4) and 2 (lane % 4) + 1 of row lane / 4.
__device__ inline void load_matrices(uint32_t (&out)[4], const void* row) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(address));
}

/// Rounds two numbers to bf16, to the nearest. The first is in the lower half of the word.
__device__ inline uint32_t pack_bf16(float first, float second) {
  uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
  return word;
}

/// sum += left x right by a warp: 16 x 16 times 16 x 8 numbers in bf16. Lane 4 g + t has rows g and g + 8 of
/// `left` and `sum`, and column g of `right` (PTX ISA, "Matrix fragments for mma.m16n8k16").
__device__ inline void multiply_bf16(float* sum, const uint32_t* left, const uint32_t* right) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}

/// Like multiply_bf16(), for 16 x 8 times 8 x 8 numbers in tf32 ("Matrix fragments for mma.m16n8k8").
__device__ inline void multiply_tf32(float* sum, const uint32_t* left, const uint32_t* right) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}

}  // namespace trainer::cuda
