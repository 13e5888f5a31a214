#include "cuda/engine.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/pairwise.h"

namespace trainer::cuda {

Engine::Engine(const EnginePlan& plan, std::unique_ptr<Network> network,
               std::unique_ptr<DeviceOptimizer> optimizer)
    : plan_(plan),
      network_(std::move(network)),
      optimizer_(std::move(optimizer)),
      images_(plan.train_images.size()),
      labels_(plan.train_labels.size()),
      test_labels_(plan.test_labels.size()),
      parameters_(plan.parameters),
      host_examples_(size_t{kMostJobs} * rows()),
      host_jobs_(kMostJobs),
      host_losses_(size_t{kMostJobs} * rows()),
      host_correct_(1),
      examples_(size_t{kMostJobs} * rows()),
      jobs_(kMostJobs),
      losses_(size_t{kMostJobs} * rows()),
      correct_(1),
      halted_(plan.ranks),
      pixels_(size_t{rows()} * plan.network.image_rows * plan.network.image_columns),
      batch_labels_(rows()) {
  images_.upload(plan.train_images, stream_);
  labels_.upload(plan.train_labels, stream_);
  test_labels_.upload(plan.test_labels, stream_);
  halted_.clear(stream_);
  for (const auto& piece : plan.pieces) {
    std::vector<uint32_t>& bounds = host_bounds_.emplace_back();
    for (const uint32_t bound : piece) bounds.push_back(bound - piece.front());
    bounds_.emplace_back(bounds, stream_);
    gradients_.emplace_back(plan.parameters);
  }
  for (size_t i = 0; i < plan.moments; ++i) moments_.emplace_back(plan.parameters);
  upload_test_images();
  stream_.wait();
}

void Engine::upload_test_images() {
  const auto count = static_cast<uint32_t>(plan_.test_labels.size());
  test_bytes_ = Array<uint8_t>(plan_.test_images.size());
  test_bytes_.upload(plan_.test_images, stream_);
  std::vector<uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0u);
  test_indexes_ = Array<uint32_t>(all, stream_);
  if (network_->evaluates_bytes()) return;
  test_pixels_ = Array<float>(plan_.test_images.size());
  const Array<uint8_t> ignored(count);
  gather(stream_,
         {test_bytes_.data(), test_labels_.data(), test_indexes_.data(), count, plan_.network.image_rows,
          plan_.network.image_columns, test_pixels_.data(), ignored.data()});
  stream_.wait();
  test_bytes_ = Array<uint8_t>();
}

std::vector<double> Engine::run(std::span<const Job> jobs, std::span<const uint64_t> next_positions,
                                const std::function<uint32_t(uint64_t)>& example, const Finish& finish) {
  for (size_t job = 0; job < jobs.size(); ++job) {
    host_jobs_[job] = jobs[job];
    place_examples(job, example);
  }
  check(cudaGraphLaunch(graph_of(jobs.size(), finish).executable, stream_.get()), "start a graph");
  look_ahead(next_positions, example);
  wait_(stream_);
  std::vector<double> losses;
  for (size_t job = 0; job < jobs.size(); ++job) {
    for (const auto& piece : plan_.pieces) losses.push_back(loss(job, piece));
  }
  return losses;
}

/// The graph of a number of jobs, captured when it is first needed. Capturing does not execute the work.
Engine::Graph& Engine::graph_of(size_t jobs, const Finish& finish) {
  const auto [entry, is_new] = graphs_.try_emplace(jobs);
  if (!is_new) return entry->second;
  check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), "begin a graph");
  put(static_cast<uint32_t>(jobs), finish);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream_.get(), &graph), "end a graph");
  const cudaError_t status = cudaGraphInstantiate(&entry->second.executable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "make a graph");
  return entry->second;
}

/// The examples of this rank's rows of a batch.
std::vector<uint32_t> Engine::examples_at(uint64_t first_position,
                                          const std::function<uint32_t(uint64_t)>& example) const {
  std::vector<uint32_t> found(rows());
  const uint64_t first = first_position + plan_.pieces.front().front();
  for (uint32_t row = 0; row < rows(); ++row) found[row] = example(first + row);
  return found;
}

void Engine::place_examples(size_t job, const std::function<uint32_t(uint64_t)>& example) {
  const auto known = ahead_.extract(host_jobs_[job].first_position);
  const std::vector<uint32_t> found =
      known ? std::move(known.mapped()) : examples_at(host_jobs_[job].first_position, example);
  std::copy(found.begin(), found.end(), host_examples_.span().begin() + job * rows());
}

/// Looks up the examples of the next batches while the GPU works.
void Engine::look_ahead(std::span<const uint64_t> positions,
                        const std::function<uint32_t(uint64_t)>& example) {
  for (const uint64_t position : positions) {
    if (!ahead_.contains(position)) ahead_.emplace(position, examples_at(position, example));
  }
}

/// Adds up the losses of a piece: within its shards, and then the shards pairwise.
double Engine::loss(size_t job, const std::vector<uint32_t>& piece) {
  const float* losses = host_losses_.span().data() + job * rows();
  std::vector<double> sums(piece.size() - 1);
  for (size_t shard = 0; shard < sums.size(); ++shard) {
    for (uint32_t row = piece[shard]; row < piece[shard + 1]; ++row)
      sums[shard] += losses[row - plan_.pieces.front().front()];
  }
  add_pairwise(sums.size(), [&](size_t to, size_t from) { sums[to] += sums[from]; });
  return sums[0];
}

/// Puts the work of the jobs into the stream. The arguments of each kernel must be the same in every run of
/// the graph.
void Engine::put(uint32_t jobs, const Finish& finish) {
  const size_t pieces = plan_.pieces.size();
  jobs_.upload(host_jobs_.span().first(jobs), stream_);
  if (rows() > 0) examples_.upload(host_examples_.span().first(size_t{jobs} * rows()), stream_);
  const uint32_t pixels = plan_.network.image_rows * plan_.network.image_columns,
                 first = plan_.pieces.front().front();
  const auto piece_of = [&](uint32_t job, size_t i) {
    const auto& bounds = plan_.pieces[i];
    const uint32_t row = bounds.front() - first;
    return DevicePiece{pixels_.data() + size_t{row} * pixels,
                       batch_labels_.data() + row,
                       images_.data(),
                       labels_.data(),
                       examples_.data() + size_t{job} * rows() + row,
                       bounds_[i].data(),
                       host_bounds_[i].data(),
                       bounds.back() - bounds.front(),
                       static_cast<uint32_t>(bounds.size() - 1),
                       bounds.front(),
                       plan_.network.batch_size,
                       &jobs_.data()[job].first_position};
  };
  const auto result_of = [&](uint32_t job, size_t i) {
    return DeviceGradient{gradients_[i].data(),
                          losses_.data() + size_t{job} * rows() + plan_.pieces[i].front() - first,
                          halted_.data() + plan_.rank};
  };
  const bool moves = !finish && network_->moves_by_adam() && optimizer_->is_adam();
  if (moves) {
    network_->move_by_adam(stream_, piece_of(0, 0), result_of(0, 0), slice(0, 0, plan_.parameters, nullptr),
                           jobs_.data(), jobs);
  }
  for (uint32_t job = 0; job < jobs && !moves; ++job) {
    if (!network_->reads_images())
      gather(stream_,
             {images_.data(), labels_.data(), examples_.data() + size_t{job} * rows(), rows(),
              plan_.network.image_rows, plan_.network.image_columns, pixels_.data(), batch_labels_.data(),
              plan_.shift, plan_.network.seed, &jobs_.data()[job].first_position, first});
    for (size_t i = 0; i < pieces; ++i) {
      if (plan_.pieces[i].front() == plan_.pieces[i].back()) {  // a GPU rejects grids without blocks
        gradients_[i].clear(stream_);
      } else {
        network_->gradient(stream_, parameters_.data(), piece_of(job, i), result_of(job, i));
      }
    }
    if (finish) {
      finish(job);
    } else {
      apply(job, 0, plan_.parameters, gradients_[0].data());
    }
  }
  if (rows() > 0) losses_.download(host_losses_.span().first(size_t{jobs} * rows()), stream_);
}

void Engine::apply(uint32_t job, size_t first, size_t count, const float* gradient) {
  optimizer_->apply(stream_, slice(job, first, count, gradient));
}

DeviceSlice Engine::slice(uint32_t job, size_t first, size_t count, const float* gradient) const {
  std::vector<float*> moments;
  for (const auto& moment : moments_) moments.push_back(moment.data() + first);
  return {parameters_.data() + first,      moments,        gradient,   count,
          &jobs_.data()[job].coefficients, halted_.data(), plan_.ranks};
}

uint32_t Engine::count_correct() {
  correct_.clear(stream_);
  const auto count = static_cast<uint32_t>(plan_.test_labels.size());
  network_->count_correct(
      stream_, parameters_.data(),
      {test_pixels_.data(), test_bytes_.data(), test_indexes_.data(), test_labels_.data(), count},
      correct_.data());
  correct_.download(host_correct_.span(), stream_);
  stream_.wait();
  return host_correct_[0];
}

}  // namespace trainer::cuda
