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

void Training::count_examples() {
  for (const auto& piece : pieces_) work_.examples += piece.back() - piece.front();
}

Training::Sum Training::add_up(std::span<const double> losses, std::span<std::vector<Real>> gradients) {
  std::vector<Report> reports(communicator_.world());
  Report& mine = reports[communicator_.rank()];
  mine.stop = asked_to_stop_();
  mine.pieces = losses.size();
  std::copy(losses.begin(), losses.end(), mine.losses);
  const uint64_t sent = communicator_.traffic().sent;
  const auto gradient = sum_->reduce(gradients, std::as_writable_bytes(std::span(reports)));
  work_.sent += communicator_.traffic().sent - sent - (reports.size() - 1) * sizeof(Report);
  learn_whether_to_stop(reports);
  std::vector<double> of_all;
  for (const Report& report : reports)
    of_all.insert(of_all.end(), report.losses, report.losses + report.pieces);
  return {sum_->add_losses(of_all) / batches_.size(), gradient};
}

void Training::gather_parameters() {
  const uint64_t sent = communicator_.traffic().sent;
  sum_->gather(state.parameters);
  work_.sent += communicator_.traffic().sent - sent;
  work_.parameters += slices_[communicator_.rank() + 1] - slices_[communicator_.rank()];
}

std::vector<Training::Report> Training::exchange(Report mine) {
  mine.stop = asked_to_stop_();
  auto reports = all_gather_values(communicator_, mine);
  learn_whether_to_stop(reports);
  return reports;
}

void Training::learn_whether_to_stop(std::span<const Report> reports) {
  for (const Report& report : reports) stop_ = std::max(stop_, report.stop);
}

std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal) {
  if (options.device == Device::cuda) {
    return cuda::make_training(options, data, parallel, communicator, std::move(stop_signal));
  }
  return std::make_unique<HostTraining>(options, data, parallel, communicator, std::move(stop_signal));
}

}  // namespace trainer
