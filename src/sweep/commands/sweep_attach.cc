#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "engine/commands/attach.h"
#include "sweep/commands/sweep_detached.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"
#include "sweep/commands/sweep_tail.h"
#include "sweep/commands/sweep_view.h"

namespace kml::cli {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

struct AttachOptions {
  std::vector<std::string> names;
};

/// Why trials are waiting. Only looked up now and then.
class WaitsNow {
 public:
  explicit WaitsNow(Context& context) : context_(context) {}

  const ui::Waits& of(const sweep::SweepState& state) {
    constexpr std::chrono::seconds kFresh{5};
    if (context_.streams().out_is_terminal && (!asked_ || Clock::now() - *asked_ >= kFresh)) {
      waits_ = waits_of(context_, state);
      asked_ = Clock::now();
    }
    return waits_;
  }

 private:
  Context& context_;
  ui::Waits waits_;
  std::optional<Clock::time_point> asked_;
};

class WatchedSweep : public Attached {
 public:
  WatchedSweep(Context& context, std::string name)
      : context_(context), name_(std::move(name)), view_(context), waits_(context) {}

  bool has_ended() const override { return !state_.end().reason.empty(); }
  void show() override { view_.show(state_, nullptr, has_ended() ? ui::Waits{} : waits_.of(state_)); }
  void end_view() override { view_.end(); }
  int report() override { return report_end(context_, state_); }
  Error without_engine() const override {
    Error error(ErrorCode::failure, "no engine is running sweep " + name_, "",
                "`kml sweep resume " + name_ + " --detach` continues it in the background");
    if (has_begun(name_) && std::filesystem::exists(engine_log(name_)))
      error.why = "the engine exited before the sweep was finished: `kml sweep logs " + name_ +
                  " --engine` prints its messages";
    return error;
  }

 protected:
  Context& context_;
  const std::string name_;
  sweep::SweepState state_;

 private:
  SweepView view_;
  WaitsNow waits_;
};

class SweepHere final : public WatchedSweep {
 public:
  SweepHere(Context& context, const std::string& name) : WatchedSweep(context, name), tail_(name) {}

  void update() override { tail_.read_into(state_); }
  bool has_engine() override { return tail_.has_engine(); }
  milliseconds pause() const override { return milliseconds(300); }

 private:
  SweepTail tail_;
};

/// A sweep in the cluster. The engine's pod updates the copy of its journal every two seconds.
class SweepInCluster final : public WatchedSweep {
 public:
  SweepInCluster(Context& context, ClusterSweep sweep)
      : WatchedSweep(context, sweep.marks.name), sweep_(std::move(sweep)) {}

  void update() override {
    sweep::SweepState now;
    read_cluster_sweep(context_, sweep_, [&](const sweep::Record& record) { now.apply(record); });
    state_ = std::move(now);
  }
  bool has_engine() override { return engine_runs(context_, sweep_.engine()); }
  milliseconds pause() const override { return milliseconds(2000); }

 private:
  ClusterSweep sweep_;
};

std::unique_ptr<WatchedSweep> watched(Context& context, const std::string& name) {
  if (auto there = find_only_in_cluster(context, name))
    return std::make_unique<SweepInCluster>(context, std::move(*there));
  if (!has_begun(name)) state_of(context, name);  // throws Error if the sweep does not exist
  return std::make_unique<SweepHere>(context, name);
}

int run_attach(Context& context, const AttachOptions& options) {
  const std::string& name = options.names[0];
  return attach(context, "sweep", name, *watched(context, name));
}

}  // namespace

Command sweep_attach_command() {
  auto options = std::make_shared<AttachOptions>();
  Command command{"attach",
                  "Watch a sweep that runs in the background, in another terminal, or in a cluster"};
  command.description =
      "Ctrl-C closes only the view; the sweep continues. When the sweep finishes, this command exits with "
      "the exit code of `kml sweep run`. If the output is not a terminal, the command prints a line for each "
      "finished trial.";
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.examples = "kml sweep attach lr1";
  command.run = [options](Context& context) { return run_attach(context, *options); };
  return command;
}

}  // namespace kml::cli
