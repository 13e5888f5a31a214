#include "cli/run_detached.h"

#include <unistd.h>

#include <csignal>
#include <memory>
#include <thread>

#include "cli/background_error.h"
#include "cli/commands.h"
#include "cli/run_session.h"
#include "cli/sweep_session.h"
#include "kml/core/background.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/pipeline/runs.h"

namespace kml::cli {

namespace {

struct RunBackgroundOptions {
  std::vector<std::string> names;
};

/// The same call of kml, with the flags that choose the server.
std::vector<std::string> run_engine_arguments(const GlobalOptions& options, const std::string& name) {
  std::vector<std::string> arguments = {"kml", "run", "background", name};
  for (const auto& [flag, value] :
       {std::pair("--context", options.context), std::pair("--namespace", options.namespace_name),
        std::pair("--kubeconfig", options.kubeconfig)})
    if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
  return arguments;
}

/// A step that the server refuses ends the first round of the engine; by the second one its job is there.
int run_run_background(Context& context, const RunBackgroundOptions& options) {
  const std::string& name = options.names[0];
  Starter starter;
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // the starter may have been interrupted
  int rounds = 0;
  bool is_told = false;
  const auto tell = [&](const Json& message) {
    if (!std::exchange(is_told, true)) starter.tell(compact_text(message));
  };
  try {
    context.note(owner());
    const pipeline::RunState run = pipeline::read_run(name);
    require_target(context, run);
    const PipelineHere here(context, string_at(run.head(), {"file"}), pipeline::pipeline_of(run), run.head());
    engine::Journal journal = pipeline::open_run(name, owner());
    const int code = go_on_here(context, here, name, journal, [&](const pipeline::Engine&) {
      if (++rounds > 1) tell({{"pid", ::getpid()}});
    });
    tell({{"pid", ::getpid()}});
    return code;
  } catch (const Error& error) {
    tell(background_message(error));
    throw;
  }
}

}  // namespace

std::filesystem::path run_engine_log(const std::string& run) {
  return pipeline::run_folder(run) / "engine.log";
}

void run_in_other_process(Context& context, const std::string& run) {
  const std::string told =
      start_in_background({run_engine_arguments(context.options(), run), run_engine_log(run), {}});
  const Json message = Json::parse(told, nullptr, /*allow_exceptions=*/false);
  if (const Json* error = find(message, {"error"})) throw background_error(*error);
  if (!find(message, {"pid"}))
    throw Error(ErrorCode::failure, "the engine of run " + run + " ended while it started", "",
                "see " + run_engine_log(run).string());
}

pipeline::RunState wait_for_run(const std::string& run) {
  constexpr std::chrono::milliseconds kPause{50};
  const jobs::Interrupt interrupt;
  while (true) {
    // A run that ends between the two looks is not left alone.
    const bool was_left = pipeline::is_left(pipeline::read_run(run));
    pipeline::RunState state = pipeline::read_run(run);
    if (!state.end().empty()) return state;
    if (was_left)
      throw Error(ErrorCode::failure, "the engine of run " + run + " was ended", "",
                  "`kml run resume " + run + "` continues the run");
    interrupt.check();
    std::this_thread::sleep_for(kPause);
  }
}

Command run_background_command() {
  auto options = std::make_shared<RunBackgroundOptions>();
  Command command{"background", "Run a run's engine in the background: what kml submit --output starts"};
  command.takes("RUN", options->names, "the run's name", 1, 1);
  command.run = [options](Context& context) { return run_run_background(context, *options); };
  command.hidden = true;
  return command;
}

}  // namespace kml::cli
