#pragma once

#include <cuda_bf16.h>

#include "cuda/convolution.cuh"
#include "cuda/fast/fits.h"
#include "cuda/fast/shards.cuh"
#include "cuda/memory.h"

/// The kernels of a cnn with bf16. cuda/cnn.cu has the same arithmetic in plain kernels.
/// Requires fast_cnn_fits() (fast/fits.h).
namespace trainer::cuda {

/// Computes both convolutions and the pooling. The planes of the first one stay in shared memory.
struct FastCnnForward {
  uint32_t rows;
  const float* pixels;          ///< rows x pixels, 0 to 1
  const float *first, *second;  ///< the weights of both convolutions; the biases follow the weights
  __nv_bfloat16* pooled;        ///< rows x windows x channels
  /// For each pooled value, four bits that say which element of the window was the largest, or kNone.
  uint8_t* which;
  /// for each pixel of the first planes, one bit for each channel that says whether it is above 0
  uint32_t* positive;
};
void fast_convolve(const Stream& stream, const FastCnnForward& plan);

/// Computes, in parts, the gradients of both convolutions from those of the pooled values.
struct FastCnnBackward {
  const float* pixels;
  const float *first, *second;
  const __nv_bfloat16* pooled_gradients;
  const uint8_t* which;
  const uint32_t* positive;
  Parts parts;
  float *first_parts, *second_parts;  ///< weights, then biases, for each part
};
/// Computes the gradient of the second convolution, in `parts` blocks, each of which computes the first
/// planes again.
void fast_second_gradient(const Stream& stream, const FastCnnBackward& plan, uint32_t parts);
/// Computes the gradient of the first convolution. The gradient of its planes stays in registers.
void fast_first_gradient(const Stream& stream, const FastCnnBackward& plan, uint32_t parts);

/// Computes the products of the hidden layer's inputs and weights, in `parts`, each of which adds up a share
/// of the inputs. A share is a multiple of 64 inputs.
struct FastDenseForward {
  uint32_t rows, inputs, hidden;
  const __nv_bfloat16* x;  ///< rows x inputs
  const float* weights;    ///< inputs x hidden
  float* parts;            ///< rows x hidden for each part
};
void fast_dense_forward(const Stream& stream, const FastDenseForward& plan, uint32_t parts);

/// Computes the gradients of the hidden layer's inputs.
struct FastDenseBackward {
  uint32_t rows, inputs, hidden;
  const float *d, *weights;  ///< rows x hidden, inputs x hidden
  __nv_bfloat16* gradients;  ///< rows x inputs
};
void fast_dense_backward(const Stream& stream, const FastDenseBackward& plan);

/// Computes the gradient of the hidden layer's weights and biases.
struct FastDenseGradient {
  uint32_t inputs, hidden;
  const __nv_bfloat16* x;  ///< rows x inputs
  const float* d;          ///< rows x hidden
  Shards shards;
  float* gradient;
};
void fast_dense_gradient(const Stream& stream, const FastDenseGradient& plan);

}  // namespace trainer::cuda
