#include "run/run.h"

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

#include "base/error.h"
#include "base/machine.h"
#include "base/stop.h"
#include "checkpoint/attempts.h"
#include "checkpoint/checkpoint.h"
#include "launch/launch.h"
#include "run/metrics.h"
#include "run/training.h"

namespace trainer {

namespace {

constexpr uint64_t kEvaluateEvery = 10;

constexpr size_t kMostAttemptsPrinted = 100;

void say(const std::string& text) {
  fprintf(stderr, "kml-trainer: %s\n", text.c_str());
}

void print(const Attempt& attempt) {
  fprintf(stderr, "%s\n", attempt_line(attempt).c_str());
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
        training_(options, data, parallel, communicator_, stop_signal),
        metrics_(options.metrics, "cpu") {
    if (!options.checkpoint_dir.empty()) {
      checkpoints_ = std::make_unique<CheckpointFolder>(options.checkpoint_dir, identity(options, data),
                                                        training_.tensors(), say);
    }
  }

  int train() try {
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
  } catch (const std::exception& error) {
    note_end(std::string("error: ") + error.what());
    throw;
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
      attempts_.emplace(options_.checkpoint_dir, find_place(getenv), say);
      const std::vector<Attempt>& earlier = attempts_->earlier();
      for (size_t i = earlier.size() - std::min(earlier.size(), kMostAttemptsPrinted); i < earlier.size();
           ++i)
        print(earlier[i]);
      print(attempts_->begin(state_.step));
    }
    const bool resumed = !state_.parameters.empty();
    if (!resumed) training_.begin();
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
    const uint32_t correct = training_.count_correct(), images = data_.test.images.count;
    const double accuracy = static_cast<double>(correct) / images;
    metrics_.write("evaluation", {{"step", state_.step},
                                  {"updates", state_.updates},
                                  {"accuracy", accuracy},
                                  {"correct", correct},
                                  {"images", images},
                                  {"seconds", seconds_since(start)}});
    return accuracy;
  }

  void update() {
    const auto start = std::chrono::steady_clock::now();
    const double epoch = training_.epoch();
    const double loss = training_.update();
    if (!std::isfinite(loss)) {
      throw Error("the loss is not finite at step " + std::to_string(state_.step),
                  "the training has diverged", "lower --learning_rate");
    }
    metrics_.write("update", {{"step", state_.step},
                              {"update", state_.updates},
                              {"epoch", epoch},
                              {"loss", loss},
                              {"seconds", seconds_since(start)}});
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

  void note_end(const std::string& reason) {
    if (attempts_) print(attempts_->end(state_.step, reason));
  }

  int end(double seconds) {
    const std::string where = "step " + std::to_string(state_.step) + ", after " +
                              std::to_string(state_.updates) + " updates" +
                              (checkpoints_ ? "; checkpoint in " + options_.checkpoint_dir.string() : "");
    if (const int signal = stop_signal(); signal != 0 && state_.step < options_.max_steps) {
      const std::string name = std::string("SIG") + sigabbrev_np(signal);
      note_end(name);
      say("stopped by " + name + " at " + where +
          (checkpoints_ ? "" : "; nothing is saved without --checkpoint-dir"));
      metrics_.write("stop", {{"step", state_.step}, {"updates", state_.updates}, {"signal", signal}});
      return 128 + signal;
    }
    const double accuracy = evaluate();
    note_end("finished");
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
  LocalCommunicator communicator_;
  Training training_;
  State& state_ = training_.state;
  Metrics metrics_;
  std::unique_ptr<CheckpointFolder> checkpoints_;
  std::optional<AttemptLog> attempts_;
  std::optional<uint64_t> saved_step_;
};

std::filesystem::path default_data_folder() {
  if (const char* cache = getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::filesystem::path(cache) / "kml/mnist";
  const char* home = getenv("HOME");
  return std::filesystem::path(home ? home : ".") / ".cache/kml/mnist";
}

}  // namespace

int run(const Options& options) {
  Launch launch;
  launch.source = "--launch=single";
  if (!options.single) launch = find_launch(find_surroundings());
  if (launch.world > 1) {
    throw Error("cannot train in " + std::to_string(launch.world) + " processes",
                "the environment (" + launch.source + ") asks for them, and this kml-trainer trains in one",
                "start the job with one pod, or pass --launch=single", 2);
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
