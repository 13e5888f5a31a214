#include "pod/hang/hang.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/commands/named_job.h"
#include "job/commands/worker_cluster.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/objects/job.h"
#include "kml/pod/copy/copy.h"
#include "kml/pod/streams/running_rank.h"
#include "kml/ui/objects.h"
#include "pod/commands/named_rank.h"
#include "pod/copy/pod_shell.h"
#include "pod/tables/hang_report.h"

namespace kml::cli {

namespace {

constexpr std::chrono::seconds kBetween{3}, kMostBetween{600};

struct HangOptions {
  std::vector<std::string> names;
  std::string container, py_spy, output;
  std::optional<std::chrono::seconds> between;
};

/// Whether the image has py-spy, which the probe prefers to a copy. False if that cannot be found out.
bool image_has_py_spy(Context& context, const pod::RunningRank& rank, const job::Interrupt& interrupt) try {
  pod::PodShell shell(context.client(), rank, rank.name(), interrupt);
  return shell.run({.script = "command -v py-spy >/dev/null 2>&1"}).exit_code == 0;
} catch (const Error& error) {
  if (error.code == ErrorCode::interrupted) throw;
  return false;
}

/// Copies py-spy to all ranks whose images lack it. Returns the start of its path, which cannot be guessed:
/// on the embedded server, all users on this machine share /tmp.
std::string copied_py_spy(Context& context, const HangOptions& options, const job::JobOrTask& named) {
  if (::access(options.py_spy.c_str(), X_OK) != 0)
    throw usage_error("--py-spy: cannot run " + options.py_spy, "",
                      "name the program itself: kml hang JOB --py-spy ~/.local/bin/py-spy");
  std::string path = "/tmp/kml-py-spy-" + random_hex(16);
  const job::Interrupt interrupt;
  const pod::CopyReport report = {.note = [&](const std::string& text) { context.note(text); },
                                  .progress = [](std::uintmax_t, std::uintmax_t) {}};
  for (const pod::RunningRank& rank : pod::running_ranks(context.client(), named, "", options.container)) {
    if (image_has_py_spy(context, rank, interrupt)) continue;
    context.progress("copying py-spy to " + rank.name());
    try {
      pod::copy_to_pod(context.client(), options.py_spy, {rank, rank.name(), pod::py_spy_in(path, rank)},
                       report, interrupt);
    } catch (const Error& error) {
      if (error.code == ErrorCode::interrupted) throw;
      context.note(message_and_why(error));
    }
  }
  return path;
}

int run_hang(Context& context, const HangOptions& options) {
  const std::chrono::seconds between = options.between.value_or(kBetween);
  if (between < std::chrono::seconds(1) || between > kMostBetween)
    throw usage_error("--for: must be between 1s and 10m");
  job::JobOrTask named = named_job_or_task(context, options.names[0]);
  named.job = enter_cluster_of(context, std::move(named.job));
  const std::string name = named.name();
  if (!named.task && job::has_tasks(named.job))
    throw usage_error("the tasks of array job " + name + " do not wait for each other", "",
                      "name a task: kml hang " + name + "-N");
  const std::string py_spy = options.py_spy.empty() ? "" : copied_py_spy(context, options, named);
  context.progress("looking for " + std::to_string(between.count()) + "s");
  const pod::JobLook look = pod::look_at(context.client(), named, options.container, between, py_spy);
  context.end_progress();
  pod::HangVerdict verdict = pod::verdict(look);
  for (std::string& command : verdict.next) command = for_same_target(context.options(), command);
  if (options.output.empty())
    ui::print_hang(context.streams(), look, verdict);
  else
    ui::print_value(context.streams(), ui::to_json(look, verdict), options.output);
  return 0;
}

std::vector<Definitions> definitions_of_hangs() {
  Definitions causes{"CAUSES", {}};
  for (const pod::HangCode& code : pod::hang_codes())
    causes.entries.emplace_back(pod::name_of(code.cause), code.meaning);
  return {std::move(causes)};
}

}  // namespace

Command hang_command() {
  auto options = std::make_shared<HangOptions>();
  Command command{"hang", "Find out whether a running job is stuck, which rank blocks the others, and why"};
  command.description =
      R"(kml samples all ranks twice, some seconds apart. kml compares the tails of the ranks' logs, their processes,
their NCCL operations (NCCL 2.24 or later, from NCCL RAS through a forwarded port), and their Python stacks (if the
image has py-spy, or with --py-spy). kml does not stop any process. The answer says that the job is making progress,
that it is stuck, or that it is too early to say. If the job is stuck, kml reports the rank that blocks the others,
the cause, the evidence, and what it could not inspect.

As with `kml why`, the exit code does not depend on the answer. In scripts, use `-o json`.)";
  command.definitions = definitions_of_hangs;
  command.examples = R"(kml hang bert
# Sample for longer, for a job with slow steps
kml hang bert --for 30s
# With the Python stacks of an image without py-spy (pip install py-spy)
kml hang bert --py-spy ~/.local/bin/py-spy
# The rank that blocks the others
kml hang bert -o json | jq -r '.culprits[]')";
  command.takes("JOB", options->names, "name of a running job; @ is your newest job", 1, 1);
  takes_container(command, options->container);
  command.option("--for", "DURATION", options->between, "time between the two samples [default: 3s]")
      .details(
          "How long to wait between the two samples. A job with slow steps needs a longer time, because kml "
          "must see whether it makes progress. [default: 3s]");
  command
      .option("--py-spy", "FILE", options->py_spy, "copy this py-spy to the ranks, and remove it afterwards")
      .details(
          "Copy this program into /tmp of each rank whose image has no py-spy, and remove it afterwards. It "
          "must run in the image. The program from PyPI needs an image with glibc, and a node "
          "with "
          "the same type of processor as this machine. py-spy may also need the capability SYS_PTRACE.");
  add_output_format(command, {"json", "yaml"}, options->output, "print the complete answer in this format")
      .details("Print the complete answer in this format, with the activity of each rank.");
  command.run = [options](Context& context) { return run_hang(context, *options); };
  return command;
}

}  // namespace kml::cli
