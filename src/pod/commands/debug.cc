#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "kml/job/views/interrupt.h"
#include "pod/commands/named_rank.h"
#include "pod/streams/debug_container.h"
#include "pod/streams/session.h"

namespace kml::cli {

namespace {

struct DebugOptions {
  std::vector<std::string> names, argv;
  std::string container;
  std::string image = "busybox:1";
};

int run_debug(Context& context, const DebugOptions& options) {
  const pod::RunningRank rank = named_rank(context, options.names[0], options.container);
  if (context.place().is_local)
    throw usage_error("kml debug needs a cluster",
                      "pods in the context \"local\" are processes on this machine",
                      "kml shell " + rank.name());
  const auto note = [&context](const std::string& text) { context.note(text); };
  note("adding a container with image " + options.image + " to " + rank.name() + ", pod " + rank.pod +
       "; it stops when this session ends");
  std::unique_ptr<pod::DebugContainer> container;
  {
    const job::Interrupt interrupt;
    container = std::make_unique<pod::DebugContainer>(context.client(), rank, options.image, interrupt);
  }
  const bool has_terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  return pod::run_session(context.client(), container->place(),
                          {.command = options.argv.empty() ? pod::shell_command_line() : options.argv,
                           .has_input = true,
                           .has_terminal = has_terminal,
                           .note = note});
}

}  // namespace

Command debug_command() {
  auto options = std::make_shared<DebugOptions>();
  Command command{"debug", "Debug a running pod from a shell in an extra container that has tools"};
  command.description =
      R"(Use `kml debug` for images without a shell or tools. kml adds a container to the pod, while the job keeps
running. In the added container, `ps` shows the processes of the job's container, and /proc/1/root has its files. The
added container has no GPU. With a command after "--", kml runs that command instead of a shell.

The container stops when kml exits. The container's entry stays in the pod until the pod is deleted. You need the right
to `patch` pods/ephemeralcontainers. On this machine (context local), use `kml shell`.)";
  command.examples = R"(# A shell, with the program's files in /proc/1/root
kml debug bert/3
# One command, with the tools of another image
kml debug bert --image nicolaka/netshoot -- ss -tnp)";
  takes_rank(command, options->names);
  takes_container(command, options->container);
  command.option("--image", "IMAGE", options->image, "image with the tools [default: busybox:1]")
      .details("The image of the container that kml adds; it needs `sh` and `cat`. [default: busybox:1]");
  command.argv = &options->argv;
  command.run = [options](Context& context) { return run_debug(context, *options); };
  return command;
}

}  // namespace kml::cli
