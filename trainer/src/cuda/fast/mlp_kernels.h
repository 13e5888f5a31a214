#pragma once

#include "cuda/fast/shards.cuh"
#include "cuda/layers.cuh"
#include "cuda/optimizer.h"

/// The three kernels of an update of a multilayer perceptron. cuda/mlp.cu has the same arithmetic in plain
/// kernels. Requires fast_mlp_fits() (fast/fits.h).
namespace trainer::cuda {

/// The rows of a piece, as indexes of images.
struct ImageRows {
  const uint8_t *images, *labels;  ///< the images and labels of the whole data set
  const uint32_t* examples;        ///< for each row, the index of its image
  uint32_t rows, pixels;
};

/// The value of a white pixel, which stands for 1. Products multiply the bytes as they are, because all
/// formats represent them exactly.
constexpr float kWhite = 255;

/// parts = images x weights. Each part adds up `depth` pixels and has rows x hidden values.
struct FastForward {
  ImageRows x;
  uint32_t hidden, depth, parts;
  const float* weights;
  float* out;
};
/// How many pixels a block multiplies at a time. `depth` must be a multiple of this.
constexpr uint32_t kForwardDepth = 112;
template <Precision precision>
void fast_forward(const Stream& stream, bool overlap, const FastForward& plan);

/// Adds up the parts and the bias, applies ReLU and dropout, and continues like train_head() (cuda/head.cuh).
struct FastHead {
  ImageRows x;
  uint32_t hidden, parts_count;
  const float *parts, *bias;              ///< the parts and the bias of the hidden layer
  const float *head_weights, *head_bias;  ///< the weights and the bias of the last layer
  Dropout dropout;
  float share;                       ///< the share of a row in the mean loss
  float *values, *hidden_gradients;  ///< rows x hidden; the gradients divided by kWhite
  float *logit_gradients, *losses;
  uint32_t* halted;
};
void fast_head(const Stream& stream, bool overlap, const FastHead& plan);

/// Computes the gradient of all parameters. If `adam.parameters` is set, moves the parameters by it instead.
struct FastGradient {
  ImageRows x;
  uint32_t hidden;
  const float *values, *hidden_gradients, *logit_gradients;
  Shards shards;
  float* gradient;
  struct {
    float *parameters, *first, *second;
    const Coefficients* coefficients;
    const uint32_t* halted;
  } adam;
};
template <Precision precision>
void fast_gradient(const Stream& stream, bool overlap, const FastGradient& plan);

}  // namespace trainer::cuda
