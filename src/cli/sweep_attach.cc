#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/sweep_detached.h"
#include "cli/sweep_in_cluster.h"
#include "cli/sweep_selection.h"
#include "cli/sweep_session.h"
#include "cli/sweep_view.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/sweep/journal/journal.h"

namespace kml::cli {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

struct AttachOptions {
  std::vector<std::string> names;
};

/// A sweep that an engine elsewhere runs, as far as its journal has come.
class WatchedSweep {
 public:
  virtual ~WatchedSweep() = default;
  /// Takes what is new.
  virtual void update() = 0;
  virtual bool has_engine() = 0;
  /// How long it is left alone between two updates.
  virtual milliseconds pause() const = 0;

  const sweep::SweepState& state() const { return state_; }

 protected:
  sweep::SweepState state_;
};

class SweepHere final : public WatchedSweep {
 public:
  explicit SweepHere(const std::string& name) : name_(name), journal_(sweep::sweep_folder(name)) {}

  void update() override {
    if (journal_.read([&](const sweep::Record& record) { state_.apply(record); })) return;
    throw Error(ErrorCode::failure, "sweep " + name_ + " was deleted meanwhile");
  }
  bool has_engine() override { return sweep::writer_of(sweep::sweep_folder(name_)).has_value(); }
  milliseconds pause() const override { return milliseconds(300); }

 private:
  std::string name_;
  sweep::JournalTail journal_;
};

/// The engine's pod renews the copy of its journal every two seconds.
class SweepInCluster final : public WatchedSweep {
 public:
  SweepInCluster(Context& context, ClusterSweep sweep) : context_(context), sweep_(std::move(sweep)) {}

  void update() override {
    sweep::SweepState now;
    read_cluster_sweep(context_, sweep_, [&](const sweep::Record& record) { now.apply(record); });
    state_ = std::move(now);
  }
  bool has_engine() override { return engine_runs(context_, sweep_.engine()); }
  milliseconds pause() const override { return milliseconds(2000); }

 private:
  Context& context_;
  ClusterSweep sweep_;
};

std::unique_ptr<WatchedSweep> watched(Context& context, const std::string& name) {
  if (auto there = find_only_in_cluster(context, name))
    return std::make_unique<SweepInCluster>(context, std::move(*there));
  if (!has_begun(name)) state_of(context, name);  // says that there is none
  return std::make_unique<SweepHere>(name);
}

Error has_no_engine(const std::string& name) {
  Error error(ErrorCode::failure, "no engine is running sweep " + name, "",
              "`kml sweep resume " + name + " --detach` continues it in the background");
  if (has_begun(name) && std::filesystem::exists(engine_log(name)))
    error.why = "it ended before the sweep did: `kml sweep logs " + name + " --engine` prints its messages";
  return error;
}

void pause_for(milliseconds time, const jobs::Interrupt& interrupt) {
  pollfd signal{interrupt.fd(), POLLIN, 0};
  ::poll(&signal, 1, static_cast<int>(time.count()));
  interrupt.check();
}

/// Why trials wait, asked for no more often than it changes.
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

int watch(Context& context, const std::string& name, WatchedSweep& sweep) {
  const jobs::Interrupt interrupt;
  SweepView view(context);
  WaitsNow waits(context);
  try {
    while (true) {
      const bool has_engine = sweep.has_engine();  // first: it may end after its last record
      sweep.update();
      if (!sweep.state().end().empty() && !has_engine) break;
      if (!has_engine) throw has_no_engine(name);
      view.show(sweep.state(), nullptr, waits.of(sweep.state()));
      pause_for(sweep.pause(), interrupt);
    }
  } catch (const Error& error) {
    view.end();
    if (error.code != ErrorCode::interrupted) throw;
    context.note("sweep " + name + " is still running; `kml sweep attach " + name +
                 "` shows it again, `kml sweep stop " + name + "` ends it");
    return static_cast<int>(error.code);
  }
  view.show(sweep.state(), nullptr, {});
  view.end();
  return report_end(context, sweep.state());
}

int run_attach(Context& context, const AttachOptions& options) {
  const std::string& name = options.names[0];
  return watch(context, name, *watched(context, name));
}

}  // namespace

Command sweep_attach_command() {
  auto options = std::make_shared<AttachOptions>();
  Command command{"attach", "Watch a sweep that runs in the background, in another terminal or in a cluster"};
  command.description =
      "Ctrl-C ends the view, and the sweep goes on. When the sweep ends, so does this command, with the "
      "exit\n"
      "code that `kml sweep run` would have had. Where the output is not a terminal, it prints a line for "
      "each\n"
      "trial that ends.";
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.examples = "kml sweep attach lr1";
  command.run = [options](Context& context) { return run_attach(context, *options); };
  return command;
}

}  // namespace kml::cli
