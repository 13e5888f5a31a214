#pragma once

#include "cuda/engine.h"
#include "cuda/nccl_sum.h"
#include "cuda/peak.h"
#include "run/training.h"

namespace trainer::cuda {

/// Training on this process's GPU. If this process trains alone, or if NCCL links the GPUs, several updates
/// form one graph, and the host gets the results when all are done. Otherwise gradients and parameters pass
/// through host memory and the communicator, and are added as in a training on CPUs. The host's model
/// provides only the initial weights and the layout.
class CudaTraining : public Training {
 public:
  CudaTraining(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
               std::function<int()> stop_signal);

  void prepare(uint64_t updates) override;
  std::vector<double> update(uint64_t most) override;
  std::optional<double> peak_flops() const override { return peak_flops_; }
  std::string gpu_bus_id() const override { return cuda::gpu_bus_id(); }

 private:
  uint32_t count_own_correct() override { return engine_->count_correct(); }
  void upload_state() override;
  void download_state() override;
  std::vector<double> update_alone(uint32_t count);
  std::vector<double> update_by_nccl(uint32_t count);
  std::vector<double> update_by_hosts();
  void connect_gpus(const Options& options);
  std::vector<double> run(uint32_t count, const Engine::Finish& finish);

  // The link must outlive the engine: NCCL ends only after all graphs with its work are destroyed.
  std::unique_ptr<NcclLink> link_;  ///< the link between the GPUs; null if gradients pass through the hosts
  std::unique_ptr<DeviceSum> on_gpus_;  ///< null without link_
  std::unique_ptr<Engine> engine_;
  std::vector<std::vector<float>>
      gradients_;  ///< the gradients of each piece, if they pass through host memory
  std::optional<double> peak_flops_;
};

}  // namespace trainer::cuda
