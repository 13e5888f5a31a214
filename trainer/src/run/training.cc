#include "run/training.h"

#include <cmath>
#include <span>

namespace trainer {

Training::Training(const Options& options, const Dataset& data, Parallel& parallel)
    : data_(data),
      parallel_(parallel),
      model_(data.train.images.pixels(), options.hidden, options.keep, options.seed, parallel),
      adam_(options.learning_rate),
      batches_(options.seed, data.train.images.count, options.batch_size),
      gradient_(model_.parameter_count()) {
  const Images& test = data.test.images;
  std::vector<const uint8_t*> images(test.count);
  for (uint32_t i = 0; i < test.count; ++i) images[i] = test.image(i);
  test_images_ = image_rows(images, test.pixels());
}

void Training::begin() {
  state.parameters = model_.initial_parameters();
  state.first_moment.resize(model_.parameter_count());
  state.second_moment.resize(model_.parameter_count());
}

double Training::update() {
  const double loss = model_.gradient(state.parameters, next_batch(), gradient_);
  if (!std::isfinite(loss)) return loss;
  ++state.updates;
  adam_.apply(state, gradient_, parallel_);
  return loss;
}

uint32_t Training::count_correct() {
  return model_.count_correct(state.parameters, test_images_, std::span(data_.test.labels.file).subspan(8));
}

Batch Training::next_batch() {
  const Part& train = data_.train;
  Batch batch;
  batch.first_position = batches_.first_position(state.updates);
  batch.labels.resize(batches_.size());
  std::vector<const uint8_t*> images(batches_.size());
  for (uint32_t i = 0; i < batches_.size(); ++i) {
    const uint32_t example = batches_.example(batch.first_position + i);
    images[i] = train.images.image(example);
    batch.labels[i] = train.labels[example];
  }
  batch.images = image_rows(images, train.images.pixels());
  return batch;
}

}  // namespace trainer
