#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "kml/base/error.h"
#include "pod/commands/enter.h"
#include "pod/commands/named_rank.h"
#include "pod/streams/container_end.h"
#include "pod/streams/session.h"

namespace kml::cli {

namespace {

struct StreamOptions {
  std::vector<std::string> names;
  std::string container;
};

void add_rank_and_container(Command& command, StreamOptions& options) {
  takes_rank(command, options.names);
  takes_container(command, options.container);
}

/// The exit code of run_session() after the user typed ~. to leave: 128 + SIGHUP.
constexpr int kDetached = 129;

bool has_terminal() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

int run_attach(Context& context, const StreamOptions& options) {
  const pod::RunningRank rank = named_rank(context, options.names[0], options.container);
  const bool in_terminal = rank.has_terminal && has_terminal();
  context.note("attached to " + rank.name() + ": new output is shown; " +
               (in_terminal ? "Ctrl-C goes to the program, and ~. at the start of a line detaches"
                            : "Ctrl-C detaches, and the job continues"));
  const pod::SessionOptions session = {.has_input = rank.has_input && (in_terminal || !rank.has_terminal),
                                       .has_terminal = in_terminal,
                                       .sends_end_of_input = rank.input_ends,
                                       // no note, because this function itself says that the job continues
                                       .note = [](const std::string&) {}};
  const int code = pod::run_session(context.client(), rank, session);
  if (in_terminal && code == kDetached) {
    context.note("detached from " + rank.name() + "; the job continues");
    return 0;
  }
  if (code != 0) return code;
  if (const std::optional<int> ended = pod::exit_code_of_container(context.client(), rank)) return *ended;
  throw Error(ErrorCode::failure, "cannot determine how " + rank.name() + " ended",
              "its pod is gone, or the connection broke before the program exited",
              "kml history " + rank.job);
}

}  // namespace

int enter_shell(Context& context, const pod::RunningRank& rank) {
  const pod::SessionOptions session = {.command = pod::shell_command_line(),
                                       .has_input = true,
                                       .has_terminal = has_terminal(),
                                       .note = [&context](const std::string& text) { context.note(text); }};
  try {
    return pod::run_session(context.client(), rank, session);
  } catch (Error& error) {
    if (error.http_status != 0 || error.reason.empty()) throw;
    error.fix =
        "an image without a shell can still run its programs: kml exec " + rank.name() + " -- PROGRAM";
    throw;
  }
}

Command shell_command() {
  auto options = std::make_shared<StreamOptions>();
  Command command{"shell", "Open a shell in a job's running pod"};
  command.description =
      R"(The shell is bash if the image has it, otherwise sh. The shell has the same files, environment and GPUs as the
job's program. To close a shell that does not respond, type "~." at the start of a line. If standard input is not a
terminal, the shell reads commands from it. When kml exits, the shell is stopped too, as with `kml exec`.)";
  command.examples = R"(kml shell bert
# On rank 3
kml shell bert/3
# Commands from a file
kml shell bert <train.sh)";
  add_rank_and_container(command, *options);
  command.run = [options](Context& context) {
    return enter_shell(context, named_rank(context, options->names[0], options->container));
  };
  return command;
}

Command attach_command() {
  auto options = std::make_shared<StreamOptions>();
  Command command{"attach", "Stream the live output of a running pod's main process"};
  command.description =
      R"(kml shows what the program writes from now on, without waiting for the end of a line; `kml logs -f` also shows
earlier lines. kml exits with the container's exit code. Ctrl-C detaches, and the job continues.

If the manifest sets `stdin` to true for the container, your input goes to the program. The program sees the end of your
input only if `stdinOnce` is true. If `tty` is true as well, the container has a terminal, and every key goes to the
program, including Ctrl-C; to detach, type "~." at the start of a line.)";
  command.examples = R"(kml attach bert
kml attach bert/3)";
  add_rank_and_container(command, *options);
  command.run = [options](Context& context) { return run_attach(context, *options); };
  return command;
}

}  // namespace kml::cli
