#pragma once

#include "comm/gradient_sum.h"
#include "cuda/engine.h"
#include "cuda/nccl_sum.h"
#include "cuda/peak.h"
#include "data/batches.h"
#include "model/optimizer.h"
#include "run/training.h"

namespace trainer::cuda {

/// Training on this process' GPU. Alone, or with GPUs that NCCL joins, many updates are one graph, and the
/// hosts hear of them when all are done. Else gradients and parameters go through the hosts' memory and the
/// communicator, and are added as on CPUs.
class CudaTraining : public Training {
 public:
  CudaTraining(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
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
  std::optional<double> peak_flops() const override { return peak_flops_; }
  std::string gpu_bus_id() const override { return cuda::gpu_bus_id(); }

 private:
  struct Report;

  std::vector<Report> exchange(Report mine);
  std::vector<double> update_alone(uint32_t count);
  std::vector<double> update_by_nccl(uint32_t count);
  std::vector<double> update_by_hosts();
  void connect_gpus(const Options& options);
  void count_examples();
  std::span<const double> run(uint32_t count, const Engine::Finish& finish);

  Communicator& communicator_;
  std::function<int()> asked_to_stop_;
  int stop_ = 0;
  std::unique_ptr<Model> model_;  ///< for its initial weights and its layout; it computes nothing
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_;
  Batches batches_;
  std::unique_ptr<GradientSum> sum_;
  std::vector<size_t> slices_;  ///< of the parameters, a rank each
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<NcclLink> link_;             ///< none: gradients go through the hosts
  std::unique_ptr<DeviceSum> on_gpus_;         ///< with it
  std::vector<std::vector<float>> gradients_;  ///< a piece each, where they go through the host's memory
  uint32_t test_images_ = 0;                   ///< of this rank
  Work work_;
  std::optional<double> peak_flops_;
};

}  // namespace trainer::cuda
