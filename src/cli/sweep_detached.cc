#include "cli/sweep_detached.h"

#include <unistd.h>

#include <csignal>
#include <memory>
#include <ostream>

#include "cli/background_error.h"
#include "cli/commands.h"
#include "cli/sweep_selection.h"
#include "cli/sweep_session.h"
#include "kml/core/background.h"
#include "kml/sweep/journal/journal.h"

namespace kml::cli {

namespace {

/// The same call of kml, with the flags that choose the server.
std::vector<std::string> engine_arguments(const GlobalOptions& options, const std::string& name) {
  std::vector<std::string> arguments = {"kml", "sweep", "background", name};
  for (const auto& [flag, value] :
       {std::pair("--context", options.context), std::pair("--namespace", options.namespace_name),
        std::pair("--kubeconfig", options.kubeconfig)})
    if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
  return arguments;
}

struct BackgroundOptions {
  std::vector<std::string> names;
};

int run_in_background(Context& context, const BackgroundOptions& options) {
  const std::string& name = options.names[0];
  Starter starter;
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // the starter may have been interrupted
  bool is_told = false;
  const auto tell = [&](const Json& message) {
    if (!std::exchange(is_told, true)) starter.tell(compact_text(message));
  };
  try {
    context.note(owner());
    sweep::Journal journal(sweep::sweep_folder(name), owner());
    return go_on_here(context, name, journal, [&](const sweep::Engine& engine) {
      const bool has_begun_jobs = !engine.state().running().empty();
      if (has_begun_jobs || !engine.state().end().empty()) tell({{"pid", ::getpid()}});
    });
  } catch (const Error& error) {
    tell(background_message(error));
    throw;
  }
}

}  // namespace

std::filesystem::path engine_log(const std::string& name) {
  return sweep::sweep_folder(name) / "engine.log";
}

int run_detached(Context& context, const std::string& name) {
  // An engine waits for a server that does not answer; this caller would not see it wait.
  context.client().get_if_exists(*api::find_kind("batch/v1", "Job"), context.target().namespace_name, name);
  context.tell_target();
  const std::string told =
      start_in_background({engine_arguments(context.options(), name), engine_log(name), {}});
  const Json message = Json::parse(told, nullptr, /*allow_exceptions=*/false);
  if (const Json* error = find(message, {"error"})) throw background_error(*error);
  if (!find(message, {"pid"}))
    throw Error(ErrorCode::failure, "the engine of sweep " + name + " ended while it started", "",
                "see " + engine_log(name).string());
  if (const sweep::SweepState state = state_of(context, name); !state.end().empty())
    return report_end(context, state);
  context.streams().out << "sweep " << name << " is running in the background (process "
                        << int_at(message, {"pid"}, 0) << ")\n";
  context.note("`kml sweep attach " + name + "` shows it live, `kml sweep status " + name +
               "` how far it is; `kml sweep stop " + name + "` ends it");
  return 0;
}

Command sweep_background_command() {
  auto options = std::make_shared<BackgroundOptions>();
  Command command{"background", "Run a sweep in the background: what --detach starts"};
  command.takes("NAME", options->names, "the sweep's name", 1, 1);
  command.run = [options](Context& context) { return run_in_background(context, *options); };
  command.hidden = true;
  return command;
}

}  // namespace kml::cli
