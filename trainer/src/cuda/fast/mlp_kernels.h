#pragma once

#include "cuda/fast/shards.cuh"
#include "cuda/layers.cuh"
#include "cuda/optimizer.h"

/// The three kernels of an update of a multilayer perceptron. cuda/mlp.cu has the same arithmetic in plain
/// kernels. Requires fast_mlp_fits() (fast/fits.h).
namespace trainer::cuda {

/// The rows of a piece, as numbers of images.
struct ImageRows {
  const uint8_t *images, *labels;  ///< all of the data set
  const uint32_t* examples;        ///< the image of each row
  uint32_t rows, pixels;
};

/// A white pixel, which stands for 1. The products multiply the bytes as they are, which all formats
/// represent exactly.
constexpr float kWhite = 255;

/// parts = images x weights, in parts that each add up `depth` pixels; rows x hidden values for each part.
struct FastForward {
  ImageRows x;
  uint32_t hidden, depth, parts;
  const float* weights;
  float* out;
};
/// Pixels that a block multiplies at a time; `depth` is a multiple.
constexpr uint32_t kForwardDepth = 112;
template <Precision precision>
void fast_forward(const Stream& stream, bool overlap, const FastForward& plan);

/// Adds up the parts, adds `bias`, applies ReLU and dropout, and continues as train_head() (cuda/head.cuh).
struct FastHead {
  ImageRows x;
  uint32_t hidden, parts_count;
  const float *parts, *bias;              ///< of the hidden layer
  const float *head_weights, *head_bias;  ///< of the last layer
  Dropout dropout;
  float share;                       ///< of a row in the mean loss
  float *values, *hidden_gradients;  ///< rows x hidden; the gradients divided by kWhite
  float *logit_gradients, *losses;
  uint32_t* halted;
};
void fast_head(const Stream& stream, bool overlap, const FastHead& plan);

/// The gradient of all parameters; or, if `adam.parameters` is set, moves the parameters by it.
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
