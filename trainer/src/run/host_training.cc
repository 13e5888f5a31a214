#include "run/host_training.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "comm/collectives.h"
#include "run/parts.h"

namespace trainer {

struct HostTraining::Report {
  static constexpr size_t kMostPieces = 2;

  int32_t stop = 0;
  uint32_t correct = 0;
  uint64_t pieces = 0;
  double losses[kMostPieces] = {};
};

HostTraining::HostTraining(const Options& options, const Dataset& data, Parallel& parallel,
                           Communicator& communicator, std::function<int()> stop_signal)
    : data_(data),
      parallel_(parallel),
      communicator_(communicator),
      asked_to_stop_(std::move(stop_signal)),
      model_(make_model(options, data, parallel)),
      optimizer_(make_optimizer(options)),
      schedule_(make_schedule(options)),
      batches_(options.seed, data.train.images.count, options.batch_size),
      sum_((options.fast ? make_ring_sum : make_exact_sum)(communicator, model_->parameter_count())),
      pieces_(sum_->pieces(options.batch_size)),
      gradients_(pieces_.size(), std::vector<Real>(model_->parameter_count())),
      slices_(slice_bounds(model_->parameter_count(), communicator.world())) {
  // Whole blocks, so that the products have the same shapes for any number of ranks.
  const Images& test = data.test.images;
  const uint64_t blocks = (test.count + Model::kEvaluationBlock - 1) / Model::kEvaluationBlock;
  const auto bound = [&](uint32_t rank) {
    return std::min(static_cast<uint32_t>(blocks * rank / communicator.world()) * Model::kEvaluationBlock,
                    test.count);
  };
  const uint32_t first = bound(communicator.rank());
  test_images_ = bound(communicator.rank() + 1) - first;
  ImageList images;
  for (uint32_t i = first; i < first + test_images_; ++i) images.push_back(test.image(i));
  model_->set_evaluation(images, std::span(data.test.labels.file).subspan(8 + first, test_images_));
}

void HostTraining::begin() {
  state = initial_state(model_->initial_parameters(), *optimizer_);
}

void HostTraining::share_state() {
  broadcast(communicator_, std::as_writable_bytes(std::span(&state.step, 1)));
  broadcast(communicator_, std::as_writable_bytes(std::span(&state.updates, 1)));
  const auto share = [&](std::vector<Real>& array) {
    array.resize(model_->parameter_count());
    broadcast(communicator_, std::as_writable_bytes(std::span(array)));
  };
  share(state.parameters);
  state.moments.resize(optimizer_->moments().size());
  for (std::vector<Real>& moment : state.moments) share(moment);
  exchange({});
}

std::vector<double> HostTraining::update(uint64_t) {
  Report mine;
  mine.pieces = pieces_.size();
  for (size_t i = 0; i < pieces_.size(); ++i) {
    mine.losses[i] = model_->gradient(state.parameters, piece(pieces_[i]), gradients_[i]);
    work_.examples += pieces_[i].back() - pieces_[i].front();
  }
  std::vector<double> losses;
  for (const Report& report : exchange(mine)) {
    losses.insert(losses.end(), report.losses, report.losses + report.pieces);
  }
  const double loss = sum_->add_losses(losses) / batches_.size();
  if (!std::isfinite(loss)) return {loss};

  const uint64_t sent = communicator_.traffic().sent;
  const std::span<const Real> gradient = sum_->reduce(gradients_);
  ++state.updates;
  optimizer_->apply(state, slices_[communicator_.rank()], gradient, schedule_.at(state.updates), parallel_);
  sum_->gather(state.parameters);
  work_.parameters += gradient.size();
  work_.sent += communicator_.traffic().sent - sent;
  return {loss};
}

uint32_t HostTraining::count_correct() {
  Report mine;
  mine.correct = model_->count_correct(state.parameters);
  work_.images += test_images_;
  uint32_t correct = 0;
  for (const Report& report : exchange(mine)) correct += report.correct;
  return correct;
}

void HostTraining::collect_state() {
  for (std::vector<Real>& moment : state.moments) {
    gather(communicator_, std::as_writable_bytes(std::span(moment)), in_bytes(slices_, sizeof(Real)));
  }
}

std::vector<HostTraining::Report> HostTraining::exchange(Report mine) {
  mine.stop = asked_to_stop_();
  auto reports = all_gather_values(communicator_, mine);
  for (const Report& report : reports) stop_ = std::max(stop_, report.stop);
  return reports;
}

Piece HostTraining::piece(std::span<const uint32_t> bounds) {
  const Part& train = data_.train;
  const uint32_t first = bounds.front(), size = bounds.back() - first;
  Piece piece;
  piece.batch_size = batches_.size();
  piece.first_position = batches_.first_position(state.updates) + first;
  for (const uint32_t bound : bounds) piece.bounds.push_back(bound - first);
  piece.labels.resize(size);
  piece.images.resize(size);
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t example = batches_.example(piece.first_position + i);
    piece.images[i] = train.images.image(example);
    piece.labels[i] = train.labels[example];
  }
  return piece;
}

}  // namespace trainer
