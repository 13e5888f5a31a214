#include "run/steps.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/say.h"
#include "base/stop.h"
#include "checkpoint/attempts.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/writer.h"
#include "comm/collectives.h"
#include "run/identity.h"
#include "run/report.h"
#include "run/training.h"

namespace trainer {

namespace {

constexpr size_t kMostAttemptsPrinted = 100;

void print(const Attempt& attempt) {
  fprintf(stderr, "%s\n", attempt_line(attempt).c_str());
}

class Run {
 public:
  Run(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
      std::function<int()> asked_to_stop)
      : options_(options),
        communicator_(communicator),
        training_(make_training(options, data, parallel, communicator, std::move(asked_to_stop))),
        report_(options, data, parallel.threads(), communicator, *training_) {
    if (is_first() && !options.checkpoint_dir.empty()) {
      checkpoints_ = std::make_unique<CheckpointFolder>(options.checkpoint_dir, identity(options, data),
                                                        training_->layout(), say);
      writer_ = std::make_unique<CheckpointWriter>(*checkpoints_);
    }
  }

  int train() try {
    begin();
    const Stopwatch watch;
    while (state_.step < options_.max_steps && training_->stop_signal() == 0) {
      if (evaluates_now()) {
        evaluate(true);
        ++state_.step;
      } else {
        update();
      }
      if (writer_ && writer_->is_done()) finish_save();
      if (options_.checkpoint_every > 0 && state_.step % options_.checkpoint_every == 0) save();
      report_.progress(false);
    }
    if (saved_step_ != state_.step) save();
    report_.progress(true);
    return end(watch.seconds());
  } catch (const std::exception& error) {
    note_end(std::string("error: ") + error.what());
    throw;
  }

 private:
  bool is_first() const { return communicator_.rank() == 0; }

  /// Resumes from the newest checkpoint, or starts from the beginning.
  void begin() {
    if (checkpoints_) {
      if (auto state = checkpoints_->load()) {
        state_ = std::move(*state);
        say("resumed at " + where() + ", from " + options_.checkpoint_dir.string());
      }
      begin_attempt();
    }
    bool resumed = !state_.parameters.empty();
    if (is_first() && !resumed) training_->begin();
    // All ranks must know how rank 0 started.
    keeps_ = all_gather_values(communicator_, uint8_t{checkpoints_ != nullptr})[0];
    resumed = all_gather_values(communicator_, uint8_t{resumed})[0];
    training_->share_state();
    if (resumed) saved_step_ = state_.step;
    if (resumed && !is_first()) say("continues at " + where() + ", as rank 0 does");
    if (state_.step < options_.max_steps) training_->prepare(updates_from(state_.step + evaluates_now()));
    report_.started(resumed);
  }

  void begin_attempt() {
    attempts_.emplace(options_.checkpoint_dir, find_place(getenv), say);
    const std::vector<Attempt>& earlier = attempts_->earlier();
    for (size_t i = earlier.size() - std::min(earlier.size(), kMostAttemptsPrinted); i < earlier.size(); ++i)
      print(earlier[i]);
    print(attempts_->begin(state_.step));
  }

  double evaluate(bool at_step) {
    const Stopwatch watch;
    const uint32_t correct = training_->count_correct();
    return report_.evaluated(correct, watch.seconds(), at_step);
  }

  /// Whether the current step is an evaluation.
  bool evaluates_now() const {
    return options_.evaluate_every > 0 && state_.step % options_.evaluate_every == 0;
  }

  /// The number of updates from a step to the next evaluation, checkpoint or end.
  uint64_t updates_from(uint64_t step) const {
    const uint64_t left = options_.max_steps - step;
    const auto to_multiple = [&](uint64_t every) { return every == 0 ? left : every - step % every; };
    return std::min(
        {to_multiple(options_.evaluate_every), to_multiple(keeps_ ? options_.checkpoint_every : 0), left});
  }

  void update() {
    const Stopwatch watch;
    const std::vector<double> losses = training_->update(updates_from(state_.step));
    if (!std::isfinite(losses.back())) {
      throw Error("the loss is not finite at step " + std::to_string(state_.step + losses.size() - 1),
                  "the training has diverged", "lower --learning_rate");
    }
    state_.step += losses.size();
    report_.updated(losses, watch.seconds());
  }

  /// Begins to write a checkpoint. The training continues at the same time.
  void save() {
    if (!keeps_) return;
    const Stopwatch watch;
    training_->collect_state();
    saved_step_ = state_.step;
    if (!writer_) return;
    finish_save();
    writer_->begin(state_);
    stall_ = watch.seconds();
  }

  /// Waits until the current checkpoint, if there is one, is on disk.
  void finish_save() {
    if (writer_ && writer_->is_busy()) report_.saved(writer_->finish(), stall_);
  }

  void note_end(const std::string& reason) {
    if (attempts_) print(attempts_->end(state_.step, reason));
  }

  std::string where() const {
    return "step " + std::to_string(state_.step) + ", after " + std::to_string(state_.updates) + " updates";
  }

  int end(double seconds) {
    const std::string place =
        where() + (checkpoints_ ? "; checkpoint in " + options_.checkpoint_dir.string() : "");
    const int signal = state_.step < options_.max_steps ? training_->stop_signal() : 0;
    if (signal != 0) finish_save();
    if (signal == kMoreRanks) {
      note_end("more ranks");
      say("more ranks have been added: all ranks connect again, at " + place);
      report_.stopped(0);
      return kMeetAgain;
    }
    if (signal != 0) {
      const std::string name = std::string("SIG") + sigabbrev_np(signal);
      note_end(name);
      say("stopped by " + name + " at " + place +
          (keeps_ ? "" : "; without --checkpoint-dir, nothing is saved"));
      report_.stopped(signal);
      return stop_signal() != 0 ? 128 + signal : kStartAgain;
    }
    const double accuracy = evaluate(false);
    // No rank may exit with success before the last checkpoint is complete, because an elastic job succeeds
    // as soon as its first worker does.
    communicator_.wait_for_slow_peers();
    finish_save();
    note_end("finished");
    char text[80];
    snprintf(text, sizeof text, ", in %.2f s; accuracy of the final weights: %.4f", seconds, accuracy);
    say("finished at " + place + text);
    report_.finished(accuracy, seconds);
    return 0;
  }

  const Options& options_;
  Communicator& communicator_;
  std::unique_ptr<Training> training_;
  State& state_ = training_->state;
  Report report_;
  std::unique_ptr<CheckpointFolder> checkpoints_;  ///< null except on rank 0
  std::unique_ptr<CheckpointWriter> writer_;       ///< null except on rank 0
  double stall_ = 0;                               ///< seconds that the last checkpoint delayed the training
  std::optional<AttemptLog> attempts_;
  bool keeps_ = false;  ///< whether rank 0 saves checkpoints
  std::optional<uint64_t> saved_step_;
};

}  // namespace

int run_steps(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
              std::function<int()> asked_to_stop) {
  return Run(options, data, parallel, communicator, std::move(asked_to_stop)).train();
}

}  // namespace trainer
