#pragma once

#include <cuda_bf16.h>

#include "cuda/convolution.cuh"
#include "cuda/fast/fits.h"
#include "cuda/fast/shards.cuh"
#include "cuda/memory.h"

/// The kernels of a cnn with bf16. cuda/cnn.cu has the same arithmetic in plain kernels.
/// Requires fast_cnn_fits() (fast/fits.h).
namespace trainer::cuda {

/// Both convolutions and the pooling. The planes of the first one stay in shared memory.
struct FastCnnForward {
  uint32_t rows;
  const float* pixels;          ///< rows x pixels, 0 to 1
  const float *first, *second;  ///< weights of the convolutions, each followed by its biases
  __nv_bfloat16* pooled;        ///< rows x windows x channels
  /// For each pooled value, four bits: which element of the window was the largest, or kNone.
  uint8_t* which;
  uint32_t* positive;  ///< for each pixel of the first planes, a bit for each channel: whether it is above 0
};
void fast_convolve(const Stream& stream, const FastCnnForward& plan);

/// Parts of the gradients of both convolutions, from those of the pooled values.
struct FastCnnBackward {
  const float* pixels;
  const float *first, *second;
  const __nv_bfloat16* pooled_gradients;
  const uint8_t* which;
  const uint32_t* positive;
  Parts parts;
  float *first_parts, *second_parts;  ///< weights, then biases; one part after the other
};
/// The gradient of the second convolution, in `parts` blocks, which compute the first planes again.
void fast_second_gradient(const Stream& stream, const FastCnnBackward& plan, uint32_t parts);
/// The gradient of the first convolution: the gradient of its planes stays in registers.
void fast_first_gradient(const Stream& stream, const FastCnnBackward& plan, uint32_t parts);

/// The products of the hidden layer's inputs and weights, in `parts` that add up a share of the inputs each.
/// A share is a multiple of 64 inputs.
struct FastDenseForward {
  uint32_t rows, inputs, hidden;
  const __nv_bfloat16* x;  ///< rows x inputs
  const float* weights;    ///< inputs x hidden
  float* parts;            ///< rows x hidden; one part after the other
};
void fast_dense_forward(const Stream& stream, const FastDenseForward& plan, uint32_t parts);

/// The gradients of the hidden layer's inputs.
struct FastDenseBackward {
  uint32_t rows, inputs, hidden;
  const float *d, *weights;  ///< rows x hidden, inputs x hidden
  __nv_bfloat16* gradients;  ///< rows x inputs
};
void fast_dense_backward(const Stream& stream, const FastDenseBackward& plan);

/// The gradient of the hidden layer's weights and biases.
struct FastDenseGradient {
  uint32_t inputs, hidden;
  const __nv_bfloat16* x;  ///< rows x inputs
  const float* d;          ///< rows x hidden
  Shards shards;
  float* gradient;
};
void fast_dense_gradient(const Stream& stream, const FastDenseGradient& plan);

}  // namespace trainer::cuda
