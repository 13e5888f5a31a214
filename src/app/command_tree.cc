#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "app/reference.h"
#include "cli/commands.h"
#include "cli/context.h"

namespace kml::cli {

namespace {

/// Commands that are listed under one heading.
struct Section {
  const char* heading;
  std::vector<Command (*)()> commands;
};

const Section kSections[] = {
    {"Start jobs",
     {submit_command, apply_command, sweep_command, run_command, serve_command, dev_command, rerun_command,
      schedule_command}},
    {"Watch them",
     {ui_command, queue_command, list_command, status_command, logs_command, why_command, hang_command,
      wait_command, top_command}},
    {"Look inside",
     {shell_command, exec_command, attach_command, port_command, open_command, cp_command, sync_command,
      ssh_command, debug_command}},
    {"Stop or pause them", {cancel_command, delete_command, suspend_command, resume_command}},
    {"Look back",
     {history_command, runs_command, artifact_command, eff_command, usage_command, timeline_command,
      gc_command}},
    {"Set up",
     {template_command, kind_command, env_command, image_command, local_command, config_command,
      trust_command, doctor_command, schema_command, mcp_command, skill_command, version_command,
      completion_command, start_when_due_command}}};

/// Commands that change nothing on a server and run nothing there. They need less trust in a kml.yaml.
constexpr const char* kReading[] = {"queue",
                                    "list",
                                    "status",
                                    "logs",
                                    "why",
                                    "wait",
                                    "top",
                                    "history",
                                    "eff",
                                    "usage",
                                    "timeline",
                                    "doctor",
                                    "config view",
                                    "config contexts",
                                    "sweep list",
                                    "sweep status",
                                    "sweep best",
                                    "sweep report",
                                    "sweep logs",
                                    "run list",
                                    "run status",
                                    "run logs",
                                    "runs",
                                    "runs compare",
                                    "runs report",
                                    "serve list",
                                    "serve logs",
                                    "schedule list",
                                    "template list",
                                    "template show",
                                    "kind list",
                                    "kind show",
                                    "env list",
                                    "artifact list",
                                    "artifact lineage"};

void mark_reading(Command& command, const std::string& path) {
  command.only_reads = std::find(std::begin(kReading), std::end(kReading), path) != std::end(kReading);
  for (Command& each : command.subcommands)
    mark_reading(each, path.empty() ? each.name : path + " " + each.name);
}

}  // namespace

Command command_tree(GlobalOptions& options) {
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
          "The cluster to use: a context in the kubeconfig, or \"local\" for the embedded server on this "
          "machine. By default, the kubeconfig's current context or, without a kubeconfig, \"local\".");
  root.option("-n,--namespace", "NAME", options.namespace_name, "namespace; by default, the context's")
      .details("The namespace to use. By default, the context's namespace or, if it has none, \"default\".");
  root.option("--kubeconfig", "FILE", options.kubeconfig, "kubeconfig file to use")
      .details("The kubeconfig file to use instead of those in KUBECONFIG or ~/.kube/config.");
  for (Option& option : root.options) option.is_of_target = true;
  root.flag("--no-color", options.no_colour, "print no colors")
      .details("Print no colors, even on a terminal.");
  for (const Section& section : kSections)
    for (Command (*make)() : section.commands) {
      root.subcommands.push_back(make());
      root.subcommands.back().heading = section.heading;
    }
  mark_reading(root, "");
  return root;
}

}  // namespace kml::cli
