#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/reference.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/parse.h"

namespace kml::cli {

namespace {

struct NamedCommand {
  std::string_view name;
  Command (*make)();
};

/// Commands that are listed under one heading.
struct Section {
  std::string_view heading;
  std::vector<NamedCommand> commands;
};

const Section kSections[] = {{"Start jobs",
                              {{"submit", submit_command},
                               {"apply", apply_command},
                               {"sweep", sweep_command},
                               {"run", run_command},
                               {"serve", serve_command},
                               {"dev", dev_command},
                               {"rerun", rerun_command},
                               {"schedule", schedule_command}}},
                             {"Watch them",
                              {{"ui", ui_command},
                               {"queue", queue_command},
                               {"list", list_command},
                               {"status", status_command},
                               {"logs", logs_command},
                               {"why", why_command},
                               {"hang", hang_command},
                               {"wait", wait_command},
                               {"top", top_command}}},
                             {"Look inside",
                              {{"shell", shell_command},
                               {"exec", exec_command},
                               {"attach", attach_command},
                               {"port", port_command},
                               {"open", open_command},
                               {"cp", cp_command},
                               {"sync", sync_command},
                               {"ssh", ssh_command},
                               {"debug", debug_command}}},
                             {"Stop or pause jobs",
                              {{"cancel", cancel_command},
                               {"delete", delete_command},
                               {"suspend", suspend_command},
                               {"resume", resume_command}}},
                             {"Look back",
                              {{"history", history_command},
                               {"runs", runs_command},
                               {"artifact", artifact_command},
                               {"eff", eff_command},
                               {"usage", usage_command},
                               {"timeline", timeline_command},
                               {"gc", gc_command}}},
                             {"Set up",
                              {{"template", template_command},
                               {"kind", kind_command},
                               {"env", env_command},
                               {"image", image_command},
                               {"local", local_command},
                               {"config", config_command},
                               {"trust", trust_command},
                               {"doctor", doctor_command},
                               {"schema", schema_command},
                               {"mcp", mcp_command},
                               {"skill", skill_command},
                               {"version", version_command},
                               {"completion", completion_command},
                               {"start-when-due", start_when_due_command},
                               {"code-files", code_files_command}}}};

/// Commands that change nothing on a server and run nothing there. They need less trust in a kml.yaml.
constexpr const char* kReading[] = {"queue",
                                    "list",
                                    "status",
                                    "logs",
                                    "why",
                                    "wait",
                                    "top jobs",
                                    "top nodes",
                                    "top queues",
                                    "history",
                                    "eff",
                                    "usage",
                                    "timeline",
                                    "doctor",
                                    "config view",
                                    "config contexts",
                                    "sweep attach",
                                    "sweep list",
                                    "sweep status",
                                    "sweep best",
                                    "sweep report",
                                    "sweep logs",
                                    "sweep export",
                                    "sweep replay",
                                    "run attach",
                                    "run list",
                                    "run status",
                                    "run logs",
                                    "runs",
                                    "runs compare",
                                    "runs export",
                                    "runs report",
                                    "serve list",
                                    "serve status",
                                    "serve logs",
                                    "serve revisions",
                                    "schedule list",
                                    "template list",
                                    "template show",
                                    "kind list",
                                    "kind show",
                                    "artifact list",
                                    "artifact lineage"};

void mark_reading(Command& command, const std::string& path) {
  command.only_reads = std::find(std::begin(kReading), std::end(kReading), path) != std::end(kReading);
  for (Command& each : command.subcommands)
    mark_reading(each, path.empty() ? each.name : path + " " + each.name);
}

/// kml itself, without its commands.
Command kml_alone(GlobalOptions& options) {
  Command root("kml", "Turn a training command into a Kubernetes job, on a cluster or on this machine");
  root.description =
      R"(With a kubeconfig, jobs go to its current context. Without a kubeconfig, jobs run on this machine, on an
embedded single-node server that starts by itself; see `kml local`.)";
  root.definitions = definitions_of_kml;
  root.examples = R"(# Run a command as a job, and follow its log
kml submit --gpus 1 --follow -- python train.py --lr 0.1
# See which jobs are running and waiting
kml queue
# Find out why a job does not run
kml why bert
# Follow its log
kml logs -f bert)";
  root.option("--context", "NAME", options.context,
              "context in the kubeconfig, or \"local\" for this machine")
      .details(
          "The cluster to use, given by a context in the kubeconfig, or by \"local\" for the embedded server "
          "on this machine. If no setting (KML_CONTEXT, kml.yaml or your config.yaml) names a context, kml "
          "uses the kubeconfig's current context. Without a kubeconfig, kml uses the cluster of its pod or, "
          "outside "
          "a pod, \"local\".");
  root.option("-n,--namespace", "NAME", options.namespace_name, "namespace; by default, the context's")
      .details(
          "The namespace to use. If no setting (KML_NAMESPACE, kml.yaml or your config.yaml) names one, kml "
          "uses the context's "
          "namespace or, if the context has none, \"default\".");
  root.option("--kubeconfig", "FILE", options.kubeconfig, "kubeconfig file to use")
      .details("The kubeconfig file to use instead of those in KUBECONFIG or ~/.kube/config.");
  for (Option& option : root.options) option.is_of_target = true;
  root.flag("--no-color", options.no_colour, "print no colors")
      .details("Print no colors, even on a terminal.");
  return root;
}

/// `kml stop`, which only explains what to type instead. It is not in kSections, so that users can have an
/// alias or an extension called `stop`.
Command word_for_stop() {
  Command command = stop_command();
  command.heading = kSections[0].heading;
  return command;
}

/// Adds all commands, or only the one with that name.
void add_commands(Command& root, std::string_view only) {
  for (const Section& section : kSections)
    for (const NamedCommand& command : section.commands) {
      if (!only.empty() && command.name != only) continue;
      root.subcommands.push_back(command.make());
      root.subcommands.back().heading = section.heading;
    }
  if (only.empty()) root.subcommands.push_back(word_for_stop());
  mark_reading(root, "");
}

bool is_of_kml(std::string_view name) {
  return std::any_of(std::begin(kSections), std::end(kSections), [&](const Section& section) {
    return std::any_of(section.commands.begin(), section.commands.end(),
                       [&](const NamedCommand& command) { return command.name == name; });
  });
}

}  // namespace

Command command_tree(GlobalOptions& options) {
  Command root = kml_alone(options);
  add_commands(root, "");
  return root;
}

Command command_tree(GlobalOptions& options, const std::vector<std::string>& arguments) {
  Command root = kml_alone(options);
  const std::optional<size_t> at = command_word(root, arguments);
  add_commands(root, at && is_of_kml(arguments[*at]) ? std::string_view(arguments[*at]) : "");
  return root;
}

}  // namespace kml::cli
