#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "mcp/server/server.h"
#include "mcp/server/session.h"

namespace kml::cli {

namespace {

struct McpOptions {
  std::vector<std::string> allow;
  std::optional<long long> max_gpus, max_bytes;
  std::string max_gpu_hours, audit;
  std::vector<std::string> secret_names;
  bool is_progressive = false;
};

std::vector<std::string> allowed_words(const McpOptions& options) {
  std::vector<std::string> known, allowed;
  for (const Entry& entry : mcp::permission_words()) known.push_back(entry.first);
  for (const std::string& list : options.allow)
    for (const std::string& word : split(list, ',')) {
      if (std::find(known.begin(), known.end(), word) == known.end())
        throw invalid_choice(word, "--allow", known);
      allowed.push_back(word);
    }
  return allowed;
}

std::optional<double> hours_in(const std::string& text) {
  if (text.empty()) return {};
  double hours = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), hours);
  if (failed != std::errc() || rest != text.data() + text.size() || !(hours >= 0))
    throw invalid_value(text, "--max-gpu-hours", "a number, 0 or more");
  return hours;
}

/// Sets the environment variables that tell the tools' commands what an agent may not do.
void limit_commands(const McpOptions& options) {
  ::setenv(kAgentFolder, std::filesystem::current_path().c_str(), 1);
  ::setenv(kAgentSecrets, join(options.secret_names, ",").c_str(), 1);
}

int run_mcp(Context& context, const McpOptions& options) {
  constexpr long long kDefaultBytes = 64 << 10, kFewestBytes = 4 << 10;
  mcp::ServerSettings settings;
  limit_commands(options);
  settings.permissions = {allowed_words(options), !context.options().namespace_name.empty()};
  settings.budget = {options.max_gpus, hours_in(options.max_gpu_hours)};
  settings.most_bytes = static_cast<size_t>(options.max_bytes.value_or(kDefaultBytes));
  if (settings.most_bytes < kFewestBytes)
    throw invalid_value(std::to_string(settings.most_bytes), "--max-bytes", "4096 or more");
  settings.is_progressive = options.is_progressive;
  settings.audit_file = options.audit;
  GlobalOptions of_tools;
  settings.command_tree = [&of_tools] { return command_tree(of_tools); };
  mcp::Session session(std::move(settings));
  mcp::Server server(session, STDIN_FILENO, STDOUT_FILENO, [&](const std::vector<std::string>& words) {
    return same_kml(context.options(), words);
  });
  server.run();
  return 0;
}

std::vector<ManualSection> sections_of_mcp() {
  return {
      {"GPU hours",
       R"(The time limit of a job starts again each time that the job starts. --max-gpu-hours counts the longest
time that all starts may take together, for all pods that may run at the same time:

- Pods that fail within a job (--retries, an array, workers that an operator restarts) share the job's time limit. So do
pods that a scheduler preempts.
- The jobs of a JobSet start again up to maxRestarts times, each time with the whole limit. A failure policy that ignores
maxRestarts is rejected.
- A trial or a step has a new job for each retry. In a sweep or run that was started from a plan, a restart after a
preemption, or after the job was deleted, uses up one of the retries.
- Kueue stops a job in a queue for jobs that are more urgent, and later starts it with its whole time limit. A job in a
queue, or in a namespace with a queue named "default", is therefore rejected unless Kueue limits all starts together,
and the job has no grace period: --label=kueue.x-k8s.io/max-exec-time-seconds=SECONDS with --grace=0s.
- Also rejected: a PyTorchJob or MPIJob whose pods may outlive it (cleanPodPolicy), a Job whose pods are replaced before
they have ended (podReplacementPolicy), a TrainJob whose runtime sets its nodes or GPUs, a sweep whose trials are tasks
of an Indexed Job (use --fan-out=jobs), and parts of GPUs, such as nvidia.com/gpu.shared.

Not counted: jobs that people, or other programs, suspend and resume or run again.)"}};
}

std::vector<Definitions> definitions_of_mcp() {
  return {{"PERMISSIONS", mcp::permission_words(),
           "The words of --allow. Without --allow, every tool is read-only."}};
}

}  // namespace

Command mcp_command() {
  auto options = std::make_shared<McpOptions>();
  Command command{"mcp",
                  "Serve kml's commands to AI agents as tools, over the Model Context Protocol (stdio)"};
  command.description =
      R"(An agent starts this command, and calls kml's tools, such as list, queue, why and logs. Without --allow, all
tools are read-only. An agent creates a job in two steps. The agent calls "plan", which checks the job and returns its
manifests, its place in the queue and its GPU hours, and then "apply", which creates the job. A plan that is applied
again never creates a second job. Sweeps, pipeline runs, served programs and reruns are planned and applied the same
way.

kml enforces the limits, whatever a prompt tells the model. An agent cannot change the context or the namespace. Of the
runs, sweeps, artifacts and submissions that are recorded on this machine, an agent sees only those of the context and,
with -n, of the namespace; artifacts without a target (`kml artifact put`) are always visible. --max-gpus and
--max-gpu-hours count all plans that were applied since this server was started, with all trials of a sweep, all steps
of a run, and all replicas that an autoscaler may add. An agent can only change or stop what this server has created,
unless --allow has "others". Plans read and mount only files and folders below the folder in which the server was
started. Each call is recorded in a file, see --audit.

Text from jobs and the cluster (logs, events, names) is marked as data, has no control characters, not even invisible
ones such as U+202E, and is limited in size.)";
  command.definitions = definitions_of_mcp;
  command.manual = sections_of_mcp;
  command.examples = R"(# The command for an agent that may only read
kml mcp
# The command for an agent that may also create jobs, with at most 8 GPUs and 100 GPU hours in all
kml mcp -n research --allow submit,cancel --max-gpus 8 --max-gpu-hours 100)";
  command
      .option("--allow", "WORDS", options->allow,
              "changes that tools may make: submit, sweep, run, serve, cancel, delete, suspend, others")
      .details(
          "Offer tools that change something. WORDS is a list, separated by commas: \"submit\" to create the "
          "jobs of plans; \"sweep\", \"run\" and \"serve\" to start what the other plans describe; "
          "\"cancel\", \"delete\" and \"suspend\" to change jobs that this server has created (\"cancel\" "
          "also stops its sweeps, runs and served programs); \"others\" to allow these changes to what this "
          "server has not created, too.");
  command
      .option("--secret-names", "NAMES", options->secret_names,
              "variables, Secrets, ConfigMaps and service accounts that the jobs of plans may use")
      .details(
          "Set which environment variables plans may copy into jobs (by --secret NAME or a pipeline's "
          "`secret`), and which existing objects plans may use. NAMES is a list, separated by commas, of "
          "NAME, "
          "secret/NAME, configmap/NAME and serviceaccount/NAME. A NAME without a kind is a variable or a "
          "Secret. By default, plans may use none, because a job can print what it reads, and the model "
          "reads "
          "the log. Plans may always use the objects that kml or the plan itself creates for the job, those "
          "in "
          "your own configuration and `KML_…` variables, and the service account \"default\".");
  command.option("--max-gpus", "N", options->max_gpus, "limit the GPUs of all jobs that this server creates")
      .details(
          "Reject a plan that would bring the total number of GPUs of all jobs created by this server above "
          "N.");
  command
      .option("--max-gpu-hours", "HOURS", options->max_gpu_hours,
              "limit the GPU hours of all jobs that this server creates")
      .details(
          "Reject a plan that could bring the total GPU hours of all jobs created by this server above "
          "HOURS. kml assumes that each job runs until its time limit, and then for its grace period "
          "(60s in most templates), during which its processes may ignore SIGTERM. All restarts count: "
          "retries of trials and steps, restarts of a JobSet, workers that an autoscaler may add, and jobs "
          "that are resumed. kml rejects what has no limit: jobs without a time limit, served programs with "
          "GPUs, and jobs that may start again any number of times. See \"GPU hours\".");
  command
      .option("--max-bytes", "N", options->max_bytes,
              "limit the size of an answer, in bytes [default: 65536]")
      .details("Shorten answers to about this many bytes. [default: 65536]");
  command.flag("--progressive", options->is_progressive, "list only three tools, to find and call the others")
      .details(
          "List only three tools: \"find\", \"describe\" and \"call\". An agent uses these three to find and "
          "call all other tools.");
  command
      .option("--audit", "FILE", options->audit,
              "append each call to this file, instead of one in the state folder")
      .details(
          "Append each call to this file, as a line of JSON, even if the tool is unknown or not allowed. "
          "Values of variables are left out, and arguments of more than 16 KiB are shortened. By default, "
          "mcp/audit.jsonl in the state folder.");
  command.run = [options](Context& context) { return run_mcp(context, *options); };
  return command;
}

}  // namespace kml::cli
