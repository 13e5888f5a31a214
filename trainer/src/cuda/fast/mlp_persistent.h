#pragma once

#include "cuda/fast/mlp_kernels.h"
#include "cuda/network.h"

namespace trainer::cuda {

/// The number of hidden units of a block.
constexpr uint32_t kUnits = 4;

/// Several updates of a multilayer perceptron by Adam, in one kernel whose blocks wait for each other.
struct FastUpdates {
  ImageRows x;  ///< `examples` has the examples of all updates
  uint32_t hidden, depth;
  Shards shards;
  uint32_t padded_rows;  ///< rows of all shards, with each shard rounded up to a multiple of kGroupRows
  uint32_t updates = 0;
  float *parameters = nullptr, *first = nullptr, *second = nullptr;
  const Job* jobs = nullptr;
  Dropout dropout{};                                ///< the position is not used
  float share = 0;                                  ///< the share of a row in the mean loss
  float* logits = nullptr;                          ///< memory for rows x (hidden / 4) x classes numbers
  float* logit_gradients = nullptr;                 ///< memory for rows x classes numbers
  float* losses = nullptr;                          ///< memory for the losses of all updates
  uint32_t *halted = nullptr, *arrivals = nullptr;  ///< `arrivals` must be 0
};

/// Whether this process's GPU can run all blocks at the same time. Uses only the members that have no
/// default.
template <Precision precision>
bool fast_updates_fit(const FastUpdates& plan);
template <Precision precision>
void fast_updates(const Stream& stream, const FastUpdates& plan);

}  // namespace trainer::cuda
