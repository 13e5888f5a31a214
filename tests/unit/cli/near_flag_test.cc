#include "cli/near_flag.h"

#include <doctest/doctest.h>

#include <map>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/base/text.h"

namespace near_flag_test {

using namespace kml;
using namespace kml::cli;

namespace {

std::vector<std::string> flags_of(const std::string& path) {
  GlobalOptions global;
  const Command root = command_tree(global);
  const Command* command = &root;
  for (const std::string& word : split(path, ' '))
    for (const Command& sub : command->subcommands)
      if (sub.name == word) {
        command = &sub;
        break;
      }
  std::vector<std::string> names = {"--help"};
  for (const Command* each : {command, &root})
    for (const Option& option : each->options)
      for (const std::string& name : split(option.names, ',')) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("near_flag: a flag of another tool gives kml's flag for the same purpose, or none") {
  // Slurm, kubectl, Docker, SkyPilot, torchrun, spelling errors
  const std::map<std::string, std::string> of_command = {
      {"submit",
       "time:time-limit walltime:time-limit mem:memory mem-per-cpu: cpus-per-task:cpu gres:gpus "
       "gpus-per-node:gpus gpus-per-task:gpus partition:queue qos:priority nice:priority account: "
       "ntasks:nodes "
       "ntasks-per-node: nodelist:node-selector constraint:node-selector job-name:name dependency:after "
       "begin:at requeue: error: exclusive: mail-type:notify mail-user:notify workdir:chdir licenses: hold: "
       "replicas:nodes restart:retries rm:ttl labels:label annotations:annotation "
       "serviceaccount:service-account overrides: limits: requests: grace-period:grace "
       "tolerations:toleration "
       "backoff-limit:retries cluster:context image-pull-secret:pull-secret "
       "volume:mount volumes:mount cpus:cpu shm-size:shm ipc:shm entrypoint: network: detach: publish: "
       "interactive: user: privileged: hostname: "
       "num-nodes:nodes accelerators:gpus image-id:image cloud: region: use-spot: "
       "nnodes:nodes nproc_per_node: nproc-per-node: max_restarts:retries max-restarts:retries rdzv_backend: "
       "rdzv-endpoint: master_addr: master-port: node_rank: "
       "gpu:gpus node:nodes time_limit:time-limit service_account:service-account memry:memory "
       "tim-limit:time-limit"},
      {"serve", "replica:replicas num-replicas:replicas scale:replicas autostop:idle volume:mount nodes:"},
      {"dev", "time: autostop:idle mem:memory workdir:chdir rm:ttl"},
      {"logs",
       "lines:tail tail-lines:tail label:selector all-containers: prefix: time:timestamps tails:tail"},
      {"list",
       "label-selector:selector label:selector field-selector: show-labels: partition: time: users:user"},
      {"exec", "interactive:stdin rm: user: workdir: env:"},
      {"wait", "time:timeout label:selector condition:"},
      {"sweep run",
       "n-trials:trials num-samples:trials n-jobs:parallel max-concurrent:parallel partition:queue"},
      {"cancel", "force: signal: label:selector"},
      {"delete", "force: now: cascade: label:selector"},
  };
  for (const auto& [command, cases] : of_command) {
    const std::vector<std::string> flags = flags_of(command);
    for (const std::string& each : split(cases, ' ')) {
      const size_t colon = each.find(':');
      const std::string wanted = each.substr(colon + 1);
      CAPTURE(command);
      CAPTURE(each);
      CHECK(near_flag("--" + each.substr(0, colon), flags).value_or("") ==
            (wanted.empty() ? "" : "--" + wanted));
    }
  }
}

}  // namespace near_flag_test
