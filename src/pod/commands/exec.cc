#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "job/commands/named_rank.h"
#include "kml/base/flag_errors.h"
#include "pod/streams/session.h"

namespace kml::cli {

namespace {

struct ExecOptions {
  std::vector<std::string> names, argv;
  std::string container;
  bool has_input = false, has_terminal = false, all_ranks = false;
};

jobs::SessionOptions session_options(Context& context, const ExecOptions& options) {
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
    throw not_together("--all-ranks", "-i and -t", "what is typed can only go to one rank");
  if (options.has_terminal && ::isatty(STDIN_FILENO) != 1)
    throw usage_error("-t needs a terminal as standard input", "this one is a file or a pipe",
                      "leave out -t; -i passes the input on");
  const jobs::SessionOptions session = session_options(context, options);
  if (options.all_ranks)
    return jobs::run_in_all(context.client(), named_ranks(context, options.names[0], options.container),
                            options.argv, session.note);
  return jobs::run_session(context.client(), named_rank(context, options.names[0], options.container),
                           session);
}

}  // namespace

Command exec_command() {
  auto options = std::make_shared<ExecOptions>();
  Command command{"exec", "Run a command inside a running pod of a job"};
  command.description =
      R"(The command runs beside the job's own program, with its files, environment and GPUs. kml exits with the command's exit
code. Errors of kml itself begin with "kml: error" on standard error.

A RANK is a number ("bert/3") or a pod's short name ("bert/worker-1"). Without one, kml takes the first rank that runs.

Ctrl-C, SIGTERM and SIGHUP go to the command and all processes that it has started. Those that have not ended after five
seconds, or at a second signal, are killed. To be able to do so, kml starts the command through the image's `sh`. In an image
without `sh`, kml cannot stop the command: it keeps running after kml ends, and kml says so. If kml is killed with SIGKILL,
the command also keeps running, without a message.

With -t, every key goes to the command, including Ctrl-C. Type ~. at the beginning of a line to end the session, and ~~ for a ~.)";
  command.examples = R"(# What the GPUs of rank 3 do
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
      .details("Passes standard input on to the command, and its end too.");
  command.flag("-t,--tty", options->has_terminal, "run it in a terminal, with standard input")
      .details(
          "Runs the command in a terminal of the size of this one, and passes each key on. Standard input "
          "must be a terminal. Output and errors then come as one stream.");
  command
      .flag("--all-ranks", options->all_ranks, "in all running pods at once; the highest exit code is kml's")
      .details(
          "Runs the command in all running pods of the job at the same time. Each line of output begins with "
          "the rank. The exit code is the highest of all; a pod that does not answer counts as 1.");
  command.argv = &options->argv;
  command.run = [options](Context& context) { return run_exec(context, *options); };
  return command;
}

}  // namespace kml::cli
