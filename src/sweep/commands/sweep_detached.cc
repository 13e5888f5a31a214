#include "sweep/commands/sweep_detached.h"

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "engine/commands/background_engine.h"
#include "kml/sweep/journal/journal.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

struct BackgroundOptions {
  std::vector<std::string> names;
};

int run_in_background(Context& context, const BackgroundOptions& options) {
  const std::string& name = options.names[0];
  return run_background_engine([&](const std::function<void()>& started) {
    context.note(owner());
    sweep::Journal journal(sweep::sweep_folder(name), owner());
    return go_on_here(context, name, journal, [&](const sweep::Engine& engine) {
      const bool has_begun_jobs = !engine.state().lists().running.empty();
      if (has_begun_jobs || !engine.state().end().reason.empty()) started();
    });
  });
}

}  // namespace

std::filesystem::path engine_log(const std::string& name) {
  return sweep::sweep_folder(name) / "engine.log";
}

int run_detached(Context& context, const std::string& name) {
  // First contacts the server. If it does not respond, the engine would wait for it, and the user would not
  // notice.
  context.client().get_if_exists(*api::find_kind("batch/v1", "Job"), context.target().namespace_name, name);
  context.tell_target();
  const int pid = start_engine_process(context, {"sweep", name, engine_log(name)});
  if (const sweep::SweepState state = state_of(context, name); !state.end().reason.empty())
    return report_end(context, state);
  context.streams().out << "sweep " << name << " is running in the background (process " << pid << ")\n";
  context.note("`kml sweep attach " + name + "` shows it live, `kml sweep status " + name +
               "` shows its progress, `kml sweep stop " + name + "` stops it");
  return 0;
}

Command sweep_background_command() {
  auto options = std::make_shared<BackgroundOptions>();
  Command command{"background", "Run a sweep in the background; used by --detach"};
  command.takes("NAME", options->names, "the sweep's name", 1, 1);
  command.run = [options](Context& context) { return run_in_background(context, *options); };
  command.hidden = true;
  return command;
}

}  // namespace kml::cli
