#include "cli/commands.h"
#include "cli/context.h"

namespace kml::cli {

Command command_tree(GlobalOptions& options) {
  Command root("kml", "Turns a training command into a Kubernetes job, on a cluster or on this machine.");
  root.description =
      "Without a kubeconfig, jobs run on this machine: `kml local` is an embedded single-node server that\n"
      "starts by itself. With one, they go to its current context.";
  root.examples =
      "  kml submit --gpus 1 --follow -- python train.py --lr 0.1\n"
      "  kml queue\n"
      "  kml why train-x7f2q\n"
      "  kml logs -f train-x7f2q";
  root.option("--context", "NAME", options.context, "where to go: a context of the kubeconfig, or \"local\"");
  root.option("-n,--namespace", "NAME", options.namespace_name, "namespace; else the context's own");
  root.option("--kubeconfig", "FILE", options.kubeconfig, "kubeconfig; else KUBECONFIG, else ~/.kube/config");
  root.flag("--no-color", options.no_colour, "no colours on a terminal either");
  for (Command (*make)() :
       {submit_command, logs_command,     sweep_command,      queue_command,   why_command,
        top_command,    list_command,     status_command,     wait_command,    cancel_command,
        delete_command, suspend_command,  resume_command,     history_command, eff_command,
        rerun_command,  template_command, local_command,      config_command,  trust_command,
        doctor_command, version_command,  completion_command, complete_command})
    root.subcommands.push_back(make());
  return root;
}

}  // namespace kml::cli
