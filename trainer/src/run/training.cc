#include "run/training.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "comm/collectives.h"

namespace trainer {

struct Training::Report {
  static constexpr size_t kMostPieces = 2;

  int32_t stop = 0;
  uint32_t correct = 0;
  uint64_t pieces = 0;
  double losses[kMostPieces] = {};
};

Training::Training(const Options& options, const Dataset& data, Parallel& parallel,
                   Communicator& communicator, std::function<int()> stop_signal)
    : data_(data),
      parallel_(parallel),
      communicator_(communicator),
      asked_to_stop_(std::move(stop_signal)),
      model_(data.train.images.pixels(), options.hidden, options.keep, options.seed, parallel),
      adam_(options.learning_rate),
      batches_(options.seed, data.train.images.count, options.batch_size),
      sum_((options.fast ? make_ring_sum : make_exact_sum)(communicator, model_.parameter_count())),
      pieces_(sum_->pieces(options.batch_size)),
      gradients_(pieces_.size(), std::vector<float>(model_.parameter_count())),
      slices_(slice_bounds(model_.parameter_count(), communicator.world())) {
  // Whole blocks, so that the products have the same shapes for any number of ranks.
  const Images& test = data.test.images;
  const uint64_t blocks = (test.count + Mlp::kEvaluationBlock - 1) / Mlp::kEvaluationBlock;
  const auto bound = [&](uint32_t rank) {
    return std::min(static_cast<uint32_t>(blocks * rank / communicator.world()) * Mlp::kEvaluationBlock,
                    test.count);
  };
  first_test_image_ = bound(communicator.rank());
  std::vector<const uint8_t*> images;
  for (uint32_t i = first_test_image_; i < bound(communicator.rank() + 1); ++i)
    images.push_back(test.image(i));
  test_images_ = image_rows(images, test.pixels());
}

void Training::begin() {
  state.parameters = model_.initial_parameters();
  state.first_moment.resize(model_.parameter_count());
  state.second_moment.resize(model_.parameter_count());
}

void Training::share_state() {
  broadcast(communicator_, std::as_writable_bytes(std::span(&state.step, 1)));
  broadcast(communicator_, std::as_writable_bytes(std::span(&state.updates, 1)));
  for (std::vector<float>* array : {&state.parameters, &state.first_moment, &state.second_moment}) {
    array->resize(model_.parameter_count());
    broadcast(communicator_, std::as_writable_bytes(std::span(*array)));
  }
  exchange({});
}

double Training::update() {
  Report mine;
  mine.pieces = pieces_.size();
  for (size_t i = 0; i < pieces_.size(); ++i) {
    mine.losses[i] = model_.gradient(state.parameters, piece(pieces_[i]), gradients_[i]);
    work_.examples += pieces_[i].back() - pieces_[i].front();
  }
  std::vector<double> losses;
  for (const Report& report : exchange(mine)) {
    losses.insert(losses.end(), report.losses, report.losses + report.pieces);
  }
  const double loss = sum_->add_losses(losses) / batches_.size();
  if (!std::isfinite(loss)) return loss;

  const uint64_t sent = communicator_.traffic().sent;
  const std::span<const float> gradient = sum_->reduce(gradients_);
  ++state.updates;
  adam_.apply(state, slices_[communicator_.rank()], gradient, parallel_);
  sum_->gather(state.parameters);
  work_.parameters += gradient.size();
  work_.sent += communicator_.traffic().sent - sent;
  return loss;
}

uint32_t Training::count_correct() {
  const auto labels = std::span(data_.test.labels.file).subspan(8 + first_test_image_, test_images_.rows());
  Report mine;
  mine.correct = model_.count_correct(state.parameters, test_images_, labels);
  work_.images += test_images_.rows();
  uint32_t correct = 0;
  for (const Report& report : exchange(mine)) correct += report.correct;
  return correct;
}

void Training::collect_state() {
  for (std::vector<float>* moment : {&state.first_moment, &state.second_moment}) {
    gather(communicator_, std::as_writable_bytes(std::span(*moment)), in_bytes(slices_, sizeof(float)));
  }
}

std::vector<Training::Report> Training::exchange(Report mine) {
  mine.stop = asked_to_stop_();
  auto reports = all_gather_values(communicator_, mine);
  for (const Report& report : reports) stop_ = std::max(stop_, report.stop);
  return reports;
}

Piece Training::piece(std::span<const uint32_t> bounds) {
  const Part& train = data_.train;
  const uint32_t first = bounds.front(), size = bounds.back() - first;
  Piece piece;
  piece.batch_size = batches_.size();
  piece.first_position = batches_.first_position(state.updates) + first;
  for (const uint32_t bound : bounds) piece.bounds.push_back(bound - first);
  piece.labels.resize(size);
  std::vector<const uint8_t*> images(size);
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t example = batches_.example(piece.first_position + i);
    images[i] = train.images.image(example);
    piece.labels[i] = train.labels[example];
  }
  piece.images = image_rows(images, train.images.pixels());
  return piece;
}

}  // namespace trainer
