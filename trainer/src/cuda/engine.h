#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "cuda/batch.h"
#include "cuda/network.h"
#include "cuda/optimizer.h"

namespace trainer::cuda {

/// The data and settings of an engine.
struct EnginePlan {
  NetworkPlan network;
  std::vector<std::vector<uint32_t>> pieces;  ///< this rank's part of the batch, as bounds of shards
  size_t parameters, moments;
  uint32_t shift = 0;  ///< the maximum number of pixels by which training images are moved
  uint32_t rank = 0, ranks = 1;
  /// Images with a byte for each pixel, and labels. The test part has only this rank's images.
  std::span<const uint8_t> train_images, train_labels, test_images, test_labels;
};

/// All data of a run in a rank's GPU: images, parameters, moments. Performs updates and evaluations.
class Engine {
 public:
  /// Finishes update `job` of a graph after its gradients have been computed. If the function is empty, this
  /// process trains alone, and the optimizer moves the parameters by these gradients.
  using Finish = std::function<void(uint32_t job)>;

  Engine(const EnginePlan& plan, std::unique_ptr<Network> network,
         std::unique_ptr<DeviceOptimizer> optimizer);

  /// The maximum number of updates in one run().
  static constexpr uint32_t kMostJobs = 32;

  /// Performs the jobs as one graph: for each, computes the gradients of all pieces, then calls `finish`. The
  /// graph is captured at the first run with that number of jobs. `example` returns the example at a position
  /// of the run. While the GPU works, the examples of the batches that begin at `next_positions` are looked
  /// up. Returns the losses of the pieces, job by job. After a loss that is not finite, later jobs change
  /// nothing.
  std::vector<double> run(std::span<const Job> jobs, std::span<const uint64_t> next_positions,
                          const std::function<uint32_t(uint64_t)>& example, const Finish& finish);

  /// Captures the graph of this number of jobs in advance, for a process that trains alone, so that run()
  /// need not capture it.
  void prepare(uint32_t jobs) { graph_of(jobs, nullptr); }

  uint32_t count_correct();

  /// Sets how the host waits for the GPU; the default is the stream's own wait().
  void wait_by(std::function<void(const Stream&)> wait) { wait_ = std::move(wait); }

  /// Moves parameters [first, first + count) by their gradient, which is in GPU memory.
  void apply(uint32_t job, size_t first, size_t count, const float* gradient);

  const Stream& stream() const { return stream_; }
  /// A word for each rank, set if the rank's loss is not finite. This rank sets only its own.
  const Array<uint32_t>& halted() const { return halted_; }
  const Array<float>& parameters() const { return parameters_; }
  const std::vector<Array<float>>& moments() const { return moments_; }
  const std::vector<Array<float>>& gradients() const { return gradients_; }
  const DeviceOptimizer& optimizer() const { return *optimizer_; }

 private:
  void upload_test_images();
  std::vector<uint32_t> examples_at(uint64_t first_position,
                                    const std::function<uint32_t(uint64_t)>& example) const;
  void place_examples(size_t job, const std::function<uint32_t(uint64_t)>& example);
  void look_ahead(std::span<const uint64_t> positions, const std::function<uint32_t(uint64_t)>& example);
  void put(uint32_t jobs, const Finish& finish);
  DeviceSlice slice(uint32_t job, size_t first, size_t count, const float* gradient) const;
  double loss(size_t job, const std::vector<uint32_t>& piece);
  uint32_t rows() const { return plan_.pieces.back().back() - plan_.pieces.front().front(); }

  struct Graph {
    cudaGraphExec_t executable = nullptr;
    ~Graph() { cudaGraphExecDestroy(executable); }
  };
  Graph& graph_of(size_t jobs, const Finish& finish);

  EnginePlan plan_;
  std::function<void(const Stream&)> wait_ = [](const Stream& stream) { stream.wait(); };
  Stream stream_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<DeviceOptimizer> optimizer_;
  Array<uint8_t> images_, labels_, test_labels_;
  // The test images, in the one form that the network evaluates.
  Array<float> test_pixels_;
  Array<uint8_t> test_bytes_;
  Array<uint32_t> test_indexes_;
  std::vector<std::vector<uint32_t>> host_bounds_;
  std::vector<Array<uint32_t>> bounds_;  ///< the bounds of the shards, in one array for each piece
  Array<float> parameters_;
  std::vector<Array<float>> moments_, gradients_;  ///< gradients have one array for each piece
  // The inputs and results of a run's jobs, in the memory of the host and of the GPU.
  HostArray<uint32_t> host_examples_;
  HostArray<Job> host_jobs_;
  HostArray<float> host_losses_;
  HostArray<unsigned> host_correct_;
  Array<uint32_t> examples_;
  Array<Job> jobs_;
  Array<float> losses_;  ///< the losses: one for each row, job by job
  Array<unsigned> correct_;
  Array<uint32_t> halted_;
  Array<float> pixels_;
  Array<uint8_t> batch_labels_;
  std::map<size_t, Graph> graphs_;  ///< the key is the number of jobs
  /// the examples of batches, by the batch's first position
  std::map<uint64_t, std::vector<uint32_t>> ahead_;
};

}  // namespace trainer::cuda
