#include "run/steps.h"

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
#include "base/say.h"
#include "base/stop.h"
#include "checkpoint/attempts.h"
#include "checkpoint/checkpoint.h"
#include "comm/collectives.h"
#include "run/identity.h"
#include "run/metrics.h"
#include "run/training.h"

namespace trainer {

namespace {

constexpr uint64_t kEvaluateEvery = 10;

constexpr size_t kMostAttemptsPrinted = 100;

void print(const Attempt& attempt) {
  fprintf(stderr, "%s\n", attempt_line(attempt).c_str());
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Run {
 public:
  Run(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator)
      : options_(options),
        data_(data),
        parallel_(parallel),
        communicator_(communicator),
        training_(options, data, parallel, communicator, trainer::stop_signal),
        metrics_(is_first() ? options.metrics : "", "cpu") {
    if (is_first() && !options.checkpoint_dir.empty()) {
      checkpoints_ = std::make_unique<CheckpointFolder>(options.checkpoint_dir, identity(options, data),
                                                        training_.tensors(), say);
    }
  }

  int train() try {
    begin();
    const auto start = std::chrono::steady_clock::now();
    while (state_.step < options_.max_steps && training_.stop_signal() == 0) {
      if (state_.step % kEvaluateEvery == 0) {
        const double accuracy = evaluate();
        if (is_first()) printf("Accuracy at step %" PRIu64 ": %.4f\n", state_.step, accuracy);
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
  bool is_first() const { return communicator_.rank() == 0; }

  /// Takes up the newest checkpoint, or begins anew.
  void begin() {
    if (checkpoints_) {
      if (auto state = checkpoints_->load()) {
        state_ = std::move(*state);
        say("resumed at step " + std::to_string(state_.step) + ", after " + std::to_string(state_.updates) +
            " updates, from " + options_.checkpoint_dir.string());
      }
      begin_attempt();
    }
    bool resumed = !state_.parameters.empty();
    if (is_first() && !resumed) training_.begin();
    // How rank 0 began.
    keeps_ = all_gather_values(communicator_, uint8_t{checkpoints_ != nullptr})[0];
    resumed = all_gather_values(communicator_, uint8_t{resumed})[0];
    training_.share_state();
    if (resumed) saved_step_ = state_.step;
    metrics_.write("start", {{"step", state_.step},
                             {"updates", state_.updates},
                             {"resumed", resumed},
                             {"max_steps", options_.max_steps},
                             {"seed", options_.seed},
                             {"batch_size", options_.batch_size},
                             {"threads", parallel_.threads()},
                             {"ranks", communicator_.world()},
                             {"data", data_.name}});
  }

  void begin_attempt() {
    attempts_.emplace(options_.checkpoint_dir, find_place(getenv), say);
    const std::vector<Attempt>& earlier = attempts_->earlier();
    for (size_t i = earlier.size() - std::min(earlier.size(), kMostAttemptsPrinted); i < earlier.size(); ++i)
      print(earlier[i]);
    print(attempts_->begin(state_.step));
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
    if (!keeps_) return;
    const auto start = std::chrono::steady_clock::now();
    training_.collect_state();
    saved_step_ = state_.step;
    if (!checkpoints_) return;
    const auto file = checkpoints_->save(state_);
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
    if (const int signal = training_.stop_signal(); signal != 0 && state_.step < options_.max_steps) {
      const std::string name = std::string("SIG") + sigabbrev_np(signal);
      note_end(name);
      say("stopped by " + name + " at " + where +
          (keeps_ ? "" : "; nothing is saved without --checkpoint-dir"));
      metrics_.write("stop", {{"step", state_.step}, {"updates", state_.updates}, {"signal", signal}});
      return stop_signal() != 0 ? 128 + signal : kStartAgain;
    }
    const double accuracy = evaluate();
    note_end("finished");
    char text[80];
    snprintf(text, sizeof text, ", in %.2f s; accuracy of the final weights: %.4f", seconds, accuracy);
    say("finished at " + where + text);
    metrics_.write("end", {{"step", state_.step},
                           {"updates", state_.updates},
                           {"accuracy", accuracy},
                           {"seconds", seconds},
                           {"ranks", shares()}});
    return 0;
  }

  /// What each rank has done, for a reader who wants to see that the work was shared.
  nlohmann::ordered_json shares() {
    struct Share {
      Work work;
      Traffic traffic;
    };
    const Share mine{training_.work(), communicator_.traffic()};
    auto list = nlohmann::ordered_json::array();
    for (const auto& [work, traffic] : all_gather_values(communicator_, mine)) {
      list.push_back({{"examples", work.examples},
                      {"parameters", work.parameters},
                      {"images", work.images},
                      {"update_bytes_sent", work.sent},
                      {"bytes_sent", traffic.sent},
                      {"bytes_received", traffic.received},
                      {"exchange_seconds", traffic.seconds}});
    }
    return list;
  }

  const Options& options_;
  const Dataset& data_;
  Parallel& parallel_;
  Communicator& communicator_;
  Training training_;
  State& state_ = training_.state;
  Metrics metrics_;
  std::unique_ptr<CheckpointFolder> checkpoints_;  ///< of rank 0
  std::optional<AttemptLog> attempts_;
  bool keeps_ = false;  ///< whether rank 0 keeps checkpoints
  std::optional<uint64_t> saved_step_;
};

}  // namespace

int run_steps(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator) {
  return Run(options, data, parallel, communicator).train();
}

}  // namespace trainer
