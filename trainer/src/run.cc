#include "run.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "adam.h"
#include "batches.h"
#include "checkpoint.h"
#include "error.h"
#include "launch.h"
#include "machine.h"
#include "metrics.h"
#include "mlp.h"
#include "stop.h"

namespace trainer {

namespace {

constexpr uint64_t kEvaluateEvery = 10;

void say(const std::string& text) {
  fprintf(stderr, "kml-trainer: %s\n", text.c_str());
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What a checkpoint must agree on with the run that continues it.
std::map<std::string, std::string> identity(const Options& options, const Dataset& data) {
  const auto exact = [](float value) {
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    return std::string(text);
  };
  return {{"seed", std::to_string(options.seed)},
          {"batch-size", std::to_string(options.batch_size)},
          {"hidden", std::to_string(options.hidden)},
          {"learning_rate", exact(options.learning_rate)},
          {"dropout", exact(options.keep)},
          {"data", data.name},
          {"data md5", data.md5},
          {"machine", machine_name()}};
}

/// One training run: the demo's loop around the model.
class Run {
 public:
  Run(const Options& options, const Dataset& data, Parallel& parallel)
      : options_(options),
        data_(data),
        parallel_(parallel),
        model_(data.train.images.pixels(), options.hidden, options.keep, options.seed, parallel),
        adam_(options.learning_rate),
        batches_(options.seed, data.train.images.count, options.batch_size),
        metrics_(options.metrics, "cpu"),
        gradient_(model_.parameter_count()) {
    const Part& test = data.test;
    std::vector<const uint8_t*> images(test.images.count);
    for (uint32_t i = 0; i < test.images.count; ++i) images[i] = test.images.image(i);
    test_images_ = image_rows(images, test.images.pixels());
    if (!options.checkpoint_dir.empty()) {
      checkpoints_ = std::make_unique<CheckpointFolder>(options.checkpoint_dir, identity(options, data),
                                                        model_.tensors(), say);
    }
  }

  int train() {
    begin();
    const auto start = std::chrono::steady_clock::now();
    while (state_.step < options_.max_steps && stop_signal() == 0) {
      if (state_.step % kEvaluateEvery == 0) {
        printf("Accuracy at step %" PRIu64 ": %.4f\n", state_.step, evaluate());
      } else {
        update();
      }
      ++state_.step;
      if (options_.checkpoint_every > 0 && state_.step % options_.checkpoint_every == 0) save();
    }
    if (saved_step_ != state_.step) save();
    return end(seconds_since(start));
  }

 private:
  /// Takes up the newest checkpoint, or begins anew.
  void begin() {
    if (checkpoints_) {
      if (auto state = checkpoints_->load()) {
        state_ = std::move(*state);
        saved_step_ = state_.step;
        say("resumed at step " + std::to_string(state_.step) + ", after " + std::to_string(state_.updates) +
            " updates, from " + options_.checkpoint_dir.string());
      }
    }
    const bool resumed = !state_.parameters.empty();
    if (!resumed) {
      state_.parameters = model_.initial_parameters();
      state_.first_moment.resize(model_.parameter_count());
      state_.second_moment.resize(model_.parameter_count());
    }
    metrics_.write("start", {{"step", state_.step},
                             {"updates", state_.updates},
                             {"resumed", resumed},
                             {"max_steps", options_.max_steps},
                             {"seed", options_.seed},
                             {"batch_size", options_.batch_size},
                             {"threads", parallel_.threads()},
                             {"data", data_.name}});
  }

  double evaluate() {
    const auto start = std::chrono::steady_clock::now();
    const Labels& labels = data_.test.labels;
    const uint32_t correct =
        model_.count_correct(state_.parameters, test_images_, std::span(labels.file).subspan(8));
    const double accuracy = static_cast<double>(correct) / labels.count;
    metrics_.write("evaluation", {{"step", state_.step},
                                  {"updates", state_.updates},
                                  {"accuracy", accuracy},
                                  {"correct", correct},
                                  {"images", labels.count},
                                  {"seconds", seconds_since(start)}});
    return accuracy;
  }

  void update() {
    const auto start = std::chrono::steady_clock::now();
    const Batch batch = next_batch();
    const double loss = model_.gradient(state_.parameters, batch, gradient_);
    if (!std::isfinite(loss)) {
      throw Error("the loss is not finite at step " + std::to_string(state_.step),
                  "the training has diverged", "lower --learning_rate");
    }
    ++state_.updates;
    adam_.apply(state_, gradient_, parallel_);
    metrics_.write("update", {{"step", state_.step},
                              {"update", state_.updates},
                              {"epoch", batches_.epoch(batch.first_position)},
                              {"loss", loss},
                              {"seconds", seconds_since(start)}});
  }

  Batch next_batch() {
    Batch batch;
    batch.first_position = batches_.first_position(state_.updates);
    std::vector<const uint8_t*> images(batches_.size());
    batch.labels.resize(batches_.size());
    for (uint32_t i = 0; i < batches_.size(); ++i) {
      const uint32_t example = batches_.example(batch.first_position + i);
      images[i] = data_.train.images.image(example);
      batch.labels[i] = data_.train.labels[example];
    }
    batch.images = image_rows(images, data_.train.images.pixels());
    return batch;
  }

  void save() {
    if (!checkpoints_) return;
    const auto start = std::chrono::steady_clock::now();
    const auto file = checkpoints_->save(state_);
    saved_step_ = state_.step;
    metrics_.write("checkpoint", {{"step", state_.step},
                                  {"updates", state_.updates},
                                  {"file", file.string()},
                                  {"seconds", seconds_since(start)}});
  }

  int end(double seconds) {
    const std::string where = "step " + std::to_string(state_.step) + ", after " +
                              std::to_string(state_.updates) + " updates" +
                              (checkpoints_ ? "; checkpoint in " + options_.checkpoint_dir.string() : "");
    if (const int signal = stop_signal(); signal != 0 && state_.step < options_.max_steps) {
      say(std::string("stopped by SIG") + sigabbrev_np(signal) + " at " + where +
          (checkpoints_ ? "" : "; nothing is saved without --checkpoint-dir"));
      metrics_.write("stop", {{"step", state_.step}, {"updates", state_.updates}, {"signal", signal}});
      return 128 + signal;
    }
    const double accuracy = evaluate();
    char text[80];
    snprintf(text, sizeof text, ", in %.2f s; accuracy of the final weights: %.4f", seconds, accuracy);
    say("finished at " + where + text);
    metrics_.write(
        "end",
        {{"step", state_.step}, {"updates", state_.updates}, {"accuracy", accuracy}, {"seconds", seconds}});
    return 0;
  }

  const Options& options_;
  const Dataset& data_;
  Parallel& parallel_;
  Mlp model_;
  Adam adam_;
  Batches batches_;
  Metrics metrics_;
  SparseRows test_images_;
  std::unique_ptr<CheckpointFolder> checkpoints_;
  State state_;
  std::optional<uint64_t> saved_step_;
  std::vector<float> gradient_;
};

std::filesystem::path default_data_folder() {
  if (const char* cache = getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::filesystem::path(cache) / "kml/mnist";
  const char* home = getenv("HOME");
  return std::filesystem::path(home ? home : ".") / ".cache/kml/mnist";
}

}  // namespace

int run(const Options& options) {
  const Launch launch = find_launch(getenv);
  if (launch.world > 1) {
    throw Error("cannot train in " + std::to_string(launch.world) + " processes",
                "the environment (" + launch.source + ") asks for them, and this kml-trainer trains in one",
                "start the job with one pod", 2);
  }
  const unsigned threads = options.threads ? options.threads : usable_cpus();
  Parallel parallel(threads);
  const std::filesystem::path folder = options.data.empty() ? default_data_folder() : options.data;
  const Dataset data = load_dataset(folder, options.verify, parallel);
  if (options.device == Device::automatic) say("no CUDA in this build: training on the CPU");
  say("device=cpu threads=" + std::to_string(threads) + " launch=\"" + launch.source +
      "\" seed=" + std::to_string(options.seed) + " data=" + folder.string() + " (" + data.name + ", " +
      std::to_string(data.train.images.count) + " + " + std::to_string(data.test.images.count) + " images)");
  if (data.name != "MNIST") say("the data are not MNIST: expect other accuracies than the demo's");
  return Run(options, data, parallel).train();
}

}  // namespace trainer
