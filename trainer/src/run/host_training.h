#pragma once

#include "comm/gradient_sum.h"
#include "data/batches.h"
#include "model/optimizer.h"
#include "run/training.h"

namespace trainer {

/// Training on the CPU.
class HostTraining : public Training {
 public:
  HostTraining(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
               std::function<int()> stop_signal);

  void begin() override;
  void share_state() override;
  std::vector<double> update(uint64_t most) override;
  uint32_t count_correct() override;
  void collect_state() override;
  int stop_signal() const override { return stop_; }
  StateLayout layout() const override { return {model_->tensors(), optimizer_->moments()}; }
  Flop flop() const override { return model_->flop(); }
  const Work& work() const override { return work_; }

 private:
  /// What each rank tells the others at each step.
  struct Report;

  std::vector<Report> exchange(Report mine);
  Piece piece(std::span<const uint32_t> bounds);

  const Dataset& data_;
  Parallel& parallel_;
  Communicator& communicator_;
  std::function<int()> asked_to_stop_;
  int stop_ = 0;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_;
  Batches batches_;
  std::unique_ptr<GradientSum> sum_;
  std::vector<std::vector<uint32_t>> pieces_;
  std::vector<std::vector<Real>> gradients_;  ///< a piece each
  std::vector<size_t> slices_;                ///< of the parameters, a rank each
  uint32_t test_images_ = 0;                  ///< of this rank
  Work work_;
};

}  // namespace trainer
