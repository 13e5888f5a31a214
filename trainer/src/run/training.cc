#include "run/training.h"

#include <algorithm>
#include <utility>

#include "comm/collectives.h"
#include "cuda/backend.h"
#include "run/host_training.h"
#include "run/parts.h"

namespace trainer {

struct Training::Report {
  int32_t stop = 0;
  uint32_t correct = 0;
  uint64_t pieces = 0;
  double losses[kMostPieces] = {};
};

Training::Training(const Options& options, const Dataset& data, Parallel& parallel,
                   Communicator& communicator, std::function<int()> stop_signal)
    : communicator_(communicator),
      model_(make_model(options, data, parallel)),
      optimizer_(make_optimizer(options)),
      schedule_(make_schedule(options)),
      batches_(options.seed, data.train.images.count, options.batch_size),
      sum_((options.fast ? make_ring_sum : make_exact_sum)(communicator, model_->parameter_count())),
      pieces_(sum_->pieces(options.batch_size)),
      slices_(slice_bounds(model_->parameter_count(), communicator.world())),
      asked_to_stop_(std::move(stop_signal)) {}

void Training::begin() {
  state = initial_state(model_->initial_parameters(), *optimizer_);
}

void Training::share_state() {
  broadcast(communicator_, std::as_writable_bytes(std::span(&state.step, 1)));
  broadcast(communicator_, std::as_writable_bytes(std::span(&state.updates, 1)));
  const auto share = [&](std::vector<Real>& array) {
    array.resize(model_->parameter_count());
    broadcast(communicator_, std::as_writable_bytes(std::span(array)));
  };
  share(state.parameters);
  state.moments.resize(optimizer_->moments().size());
  for (std::vector<Real>& moment : state.moments) share(moment);
  upload_state();
  ask_whether_to_stop();
}

uint32_t Training::count_correct() {
  Report mine;
  mine.correct = count_own_correct();
  work_.images += test_images_;
  uint32_t correct = 0;
  for (const Report& report : exchange(mine)) correct += report.correct;
  return correct;
}

void Training::collect_state() {
  download_state();
  for (std::vector<Real>& moment : state.moments) {
    gather(communicator_, std::as_writable_bytes(std::span(moment)), in_bytes(slices_, sizeof(Real)));
  }
}

void Training::ask_whether_to_stop() {
  exchange({});
}

double Training::mean_loss(std::span<const double> of_pieces) {
  Report mine;
  mine.pieces = of_pieces.size();
  std::copy(of_pieces.begin(), of_pieces.end(), mine.losses);
  std::vector<double> losses;
  for (const Report& report : exchange(mine)) {
    losses.insert(losses.end(), report.losses, report.losses + report.pieces);
  }
  return sum_->add_losses(losses) / batches_.size();
}

void Training::count_examples() {
  for (const auto& piece : pieces_) work_.examples += piece.back() - piece.front();
}

std::vector<Training::Report> Training::exchange(Report mine) {
  mine.stop = asked_to_stop_();
  auto reports = all_gather_values(communicator_, mine);
  for (const Report& report : reports) stop_ = std::max(stop_, report.stop);
  return reports;
}

std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal) {
  if (options.device == Device::cuda) {
    return cuda::make_training(options, data, parallel, communicator, std::move(stop_signal));
  }
  return std::make_unique<HostTraining>(options, data, parallel, communicator, std::move(stop_signal));
}

}  // namespace trainer
