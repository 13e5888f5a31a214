#pragma once

#include "run/training.h"

namespace trainer {

/// Training on the CPU.
class HostTraining : public Training {
 public:
  HostTraining(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
               std::function<int()> stop_signal);

  std::vector<double> update(uint64_t most) override;

 private:
  uint32_t count_own_correct() override { return model_->count_correct(state.parameters); }
  Piece piece(std::span<const uint32_t> bounds);
  void move_images(Piece& piece) const;

  const Dataset& data_;
  const uint64_t seed_;
  const uint32_t shift_;  ///< the maximum number of pixels by which training images are moved
  Parallel& parallel_;
  std::vector<std::vector<Real>> gradients_;  ///< the gradients of each piece
};

}  // namespace trainer
