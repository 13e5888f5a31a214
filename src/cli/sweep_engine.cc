#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/sweep_in_cluster.h"
#include "cli/sweep_selection.h"
#include "cli/sweep_session.h"
#include "kml/core/text.h"
#include "kml/jobs/sweep/journal_copy.h"

namespace kml::cli {

namespace {

struct EngineFlags {
  std::vector<std::string> names;
};

/// The copy of the journal that others read: it may lag a little, and may fail for a while.
class LaggingCopy {
 public:
  LaggingCopy(Context& context, jobs::JournalCopy copy) : context_(context), copy_(std::move(copy)) {}

  void update() {
    constexpr std::chrono::seconds kLag{2};
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kLag) return;
    last_ = now;
    try {
      copy_.update();
      has_failed_ = false;
    } catch (const Error& error) {
      if (!std::exchange(has_failed_, true)) context_.note("the journal's copy lags: " + error.message);
    }
  }
  /// All of it. Throws Error if the server does not take it.
  void end() { copy_.update(); }

 private:
  Context& context_;
  jobs::JournalCopy copy_;
  std::chrono::steady_clock::time_point last_{};
  bool has_failed_ = false;
};

int run_engine(Context& context, const EngineFlags& options) {
  const std::string& name = options.names[0];
  const auto sweep = find_cluster_sweep(context, name);
  if (!sweep)
    throw usage_error("no sweep " + name + " in namespace " + context.place().namespace_name,
                      "this command is what the job of `kml sweep run --in-cluster` runs");
  const sweep::SweepSpec spec = sweep::parse_sweep(sweep->document(), "the sweep's ConfigMap");
  const std::filesystem::path folder = sweep::sweep_folder(name);
  sweep::Journal journal(folder, owner());
  if (begin_or_change(journal, context, spec, sweep->marks.id) != sweep->marks.id)
    throw usage_error("the volume already has the journal of another sweep " + name, folder.string(),
                      "use another name, or another folder in --journal-volume");
  LaggingCopy copy(context, {context.client(), sweep->marks, sweep->object, folder / "journal.jsonl"});
  const jobs::StopRequest stop(context.client(), sweep->marks, sweep->object);
  const int code = go_on(context, name, journal,
                         {[&] { return stop.wish(); }, [&](const sweep::Engine&) { copy.update(); }});
  copy.end();
  return code;
}

}  // namespace

Command sweep_engine_command() {
  auto options = std::make_shared<EngineFlags>();
  Command command{"engine", "Run the engine of a sweep in a pod: the command of the job of --in-cluster"};
  command.takes("NAME", options->names, "the sweep's name", 1, 1);
  command.run = [options](Context& context) { return run_engine(context, *options); };
  command.hidden = true;
  return command;
}

}  // namespace kml::cli
