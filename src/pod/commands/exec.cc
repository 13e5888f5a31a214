#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "kml/base/flag_errors.h"
#include "pod/commands/named_rank.h"
#include "pod/streams/session.h"

namespace kml::cli {

namespace {

struct ExecOptions {
  std::vector<std::string> names, argv;
  std::string container;
  bool has_input = false, has_terminal = false, all_ranks = false;
};

pod::SessionOptions session_options(Context& context, const ExecOptions& options) {
  return {.command = options.argv,
          .has_input = options.has_input || options.has_terminal,
          .has_terminal = options.has_terminal,
          .note = [&context](const std::string& text) { context.note(text); }};
}

int run_exec(Context& context, const ExecOptions& options) {
  if (options.argv.empty())
    throw usage_error("the command is missing", "it follows \"--\"",
                      "kml exec " + options.names[0] + " -- nvidia-smi");
  if (options.all_ranks && (options.has_input || options.has_terminal))
    throw not_together("--all-ranks", "-i and -t", "your input can go to only one rank");
  if (options.has_terminal && ::isatty(STDIN_FILENO) != 1)
    throw usage_error("-t needs a terminal as standard input", "standard input is not a terminal",
                      "leave out -t; -i passes the input on");
  const pod::SessionOptions session = session_options(context, options);
  // The client is requested last, because the ranks may be in another cluster.
  if (options.all_ranks) {
    const std::vector<pod::RunningRank> ranks = named_ranks(context, options.names[0], options.container);
    return pod::run_in_all(context.client(), ranks, options.argv, session.note);
  }
  const pod::RunningRank rank = named_rank(context, options.names[0], options.container);
  return pod::run_session(context.client(), rank, session);
}

}  // namespace

Command exec_command() {
  auto options = std::make_shared<ExecOptions>();
  Command command{"exec", "Run a command in a job's running pod"};
  command.description =
      R"(The command runs beside the job's program, with the same files, environment and GPUs. kml exits with the command's
exit code. kml's own errors go to standard error, and start with "kml:".

A RANK is a number ("bert/3") or a pod's short name ("bert/worker-1"). Without RANK, kml uses the first running rank.

kml passes Ctrl-C, SIGTERM and SIGHUP on to the command and all processes that it started, and kills those that are
still running after five seconds or at a second signal. To pass signals on, kml starts the command through the image's
`sh`. In an image without `sh`, the command keeps running after kml exits, and kml prints a warning. If kml is killed
with SIGKILL, the command also keeps running, without a warning.

With -t, every key goes to the command, including Ctrl-C. To end the session, type "~." at the start of a
line; "~~" sends a single "~".)";
  command.examples = R"(# The GPUs of rank 3
kml exec bert/3 -- nvidia-smi
# The same on all ranks, with the rank before each line
kml exec bert --all-ranks -- nvidia-smi -L
# Pass on input
echo 'print(1)' | kml exec -i bert -- python -
# A debugger in a terminal
kml exec -it bert -- gdb -p 1)";
  takes_rank(command, options->names);
  takes_container(command, options->container);
  command.flag("-i,--stdin", options->has_input, "pass standard input on to the command")
      .details(
          "Pass standard input on to the command. When standard input ends, the command's input is closed.");
  command.flag("-t,--tty", options->has_terminal, "run the command in a terminal, with standard input")
      .details(
          "Run the command in a terminal with the size of this one, and pass each key on. Standard input "
          "must be a terminal. Output and errors become one stream.");
  command
      .flag("--all-ranks", options->all_ranks,
            "run the command in all running pods at once; kml exits with the highest exit code")
      .details(
          "Run the command in all running pods of the job at the same time. Each line of output starts with "
          "the rank. kml exits with the highest exit code; for a pod that does not answer, kml uses exit "
          "code 1.");
  command.argv = &options->argv;
  command.needs_argv = true;
  command.run = [options](Context& context) { return run_exec(context, *options); };
  return command;
}

}  // namespace kml::cli
