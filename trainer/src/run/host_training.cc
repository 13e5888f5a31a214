#include "run/host_training.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "data/shift.h"

namespace trainer {

HostTraining::HostTraining(const Options& options, const Dataset& data, Parallel& parallel,
                           Communicator& communicator, std::function<int()> stop_signal)
    : Training(options, data, parallel, communicator, std::move(stop_signal)),
      data_(data),
      seed_(options.seed),
      shift_(options.shift),
      parallel_(parallel),
      gradients_(pieces_.size(), std::vector<Real>(model_->parameter_count())) {
  // Each rank gets whole blocks, so that the products have the same shapes for any number of ranks.
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

std::vector<double> HostTraining::update(uint64_t) {
  std::vector<double> losses;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    losses.push_back(model_->gradient(state.parameters, piece(pieces_[i]), gradients_[i]));
  }
  count_examples();
  const auto [loss, gradient] = add_up(losses, gradients_);
  if (!std::isfinite(loss)) return {loss};

  ++state.updates;
  optimizer_->apply(state, slices_[communicator_.rank()], gradient, schedule_.at(state.updates), parallel_);
  gather_parameters();
  return {loss};
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
  if (shift_ > 0) move_images(piece);
  return piece;
}

/// Replaces the images of a piece by copies that are moved.
void HostTraining::move_images(Piece& piece) const {
  const Images& images = data_.train.images;
  const uint32_t pixels = images.pixels();
  piece.moved.resize(piece.images.size() * pixels);
  for (size_t i = 0; i < piece.images.size(); ++i) {
    const Shift shift = shift_at(seed_, piece.first_position + i, shift_);
    uint8_t* moved = piece.moved.data() + i * pixels;
    for (uint32_t p = 0; p < pixels; ++p)
      moved[p] = shifted_pixel(piece.images[i], images.rows, images.columns, shift, p);
    piece.images[i] = moved;
  }
}

}  // namespace trainer
