#include <unistd.h>

#include <algorithm>
#include <charconv>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
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

int run_mcp(Context& context, const McpOptions& options) {
  constexpr long long kDefaultBytes = 64 << 10, kFewestBytes = 4 << 10;
  mcp::ServerSettings settings;
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

kml enforces the limits, whatever a prompt tells the model. An agent cannot change the context or the namespace.
--max-gpus and --max-gpu-hours count all plans that were applied since this server was started, with all trials of a
sweep and all steps of a run. An agent can only change or stop what this server has created, unless --allow
has "others". Each call is recorded in a file, see --audit.

Text from jobs and the cluster (logs, events, names) is marked as data, has no control characters, and is limited in
size.)";
  command.definitions = definitions_of_mcp;
  command.examples = R"(# The command for an agent that may only read
kml mcp
# The command for an agent that may also create jobs, with at most 8 GPUs and 100 GPU hours in all
kml mcp -n research --allow submit,cancel --max-gpus 8 --max-gpu-hours 100)";
  command
      .option("--allow", "WORDS", options->allow,
              "what tools may change: submit, sweep, run, serve, cancel, delete, suspend, others")
      .details(
          "Offer tools that change something. WORDS is a list, separated by commas: \"submit\" to create the "
          "jobs of plans; \"sweep\", \"run\" and \"serve\" to start what the other plans describe; "
          "\"cancel\", \"delete\" and \"suspend\" to change jobs that this server has created (\"cancel\" "
          "also stops its sweeps, runs and served programs); \"others\" to allow these changes to what this "
          "server has not created, too.");
  command.option("--max-gpus", "N", options->max_gpus, "limit the GPUs of all jobs that this server creates")
      .details(
          "Reject a plan that would bring the total number of GPUs of all jobs created by this server above "
          "N.");
  command
      .option("--max-gpu-hours", "HOURS", options->max_gpu_hours,
              "limit the GPU hours of all jobs that this server creates")
      .details(
          "Reject a plan that could bring the total GPU hours of all jobs created by this server above "
          "HOURS. kml assumes that each job runs until its time limit, and rejects a job without a time "
          "limit.");
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
          "Append each call to this file, as a line of JSON. By default, mcp/audit.jsonl in the state "
          "folder.");
  command.run = [options](Context& context) { return run_mcp(context, *options); };
  return command;
}

}  // namespace kml::cli
