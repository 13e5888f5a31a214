#include "cli/near_flag.h"

#include <algorithm>
#include <string_view>

#include "kml/base/text.h"

namespace kml::cli {

namespace {

/// A flag of kml, and words of other tools for the same purpose. If the flag is empty, kml has no flag for
/// this purpose, although the words may resemble one of kml's flags.
struct ForeignFlags {
  std::string_view flag, words;
};

constexpr ForeignFlags kForeignFlags[] = {
    {"after", "dependency depends-on"},
    {"at", "begin"},
    {"at", "start-time"},
    {"chdir", "workdir work-dir working-dir working-directory cwd"},
    {"context", "cluster kube-context"},
    {"cpu", "cpus cpus-per-task ncpus num-cpus vcpus cores num-cores"},
    {"env", "export environment"},
    {"gpus", "gres gpus-per-node gpus-per-task num-gpus ngpus accelerators accelerator"},
    {"grace", "grace-period stop-timeout termination-grace-period"},
    {"idle", "autostop idle-minutes-to-autostop scale-to-zero"},
    {"image", "image-id docker-image container-image"},
    {"memory", "mem ram mem-per-node memory-limit"},
    {"mount", "volume volumes bind"},
    {"name", "job-name"},
    {"node-selector", "nodelist constraint nodeselector"},
    {"nodes", "ntasks num-nodes nnodes num-workers workers replicas"},
    {"notify", "mail-type mail-user"},
    {"parallel", "n-jobs max-concurrent"},
    {"priority", "qos priority-class priority-class-name nice"},
    {"pull-secret", "image-pull-secret image-pull-secrets"},
    {"queue", "partition"},
    {"replicas", "num-replicas scale"},
    {"retries", "max-restarts restart backoff-limit max-retries"},
    {"selector", "label-selector label labels"},
    {"service-account", "serviceaccount service-account-name sa"},
    {"shm", "shm-size ipc"},
    {"stdin", "interactive"},
    {"tail", "lines num-lines tail-lines"},
    {"time-limit", "time walltime wall-time max-time active-deadline-seconds"},
    {"trials", "n-trials num-samples"},
    {"ttl", "rm ttl-seconds-after-finished"},
    {"", "account error exclusive mem-per-cpu nproc-per-node ntasks-per-node region requeue"},
};

/// The flag as kml writes its own: --nproc-per-node for torchrun's --nproc_per_node.
std::string plain_name(std::string_view flag) {
  std::string name(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

std::optional<std::string> near_flag(const std::string& typed, const std::vector<std::string>& flags) {
  const std::string word = plain_name(typed);
  std::vector<std::string> names;
  for (const std::string& flag : flags)
    if (flag.starts_with("--")) names.push_back(plain_name(flag));
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has(word)) return "--" + word;
  for (const ForeignFlags& foreign : kForeignFlags) {
    const std::vector<std::string> words = split(foreign.words, ' ');
    if (std::find(words.begin(), words.end(), word) == words.end()) continue;
    if (foreign.flag.empty()) return {};
    if (has(foreign.flag)) return "--" + std::string(foreign.flag);
  }
  const std::optional<std::string> name = nearest(word, names);
  return name ? std::optional("--" + *name) : std::nullopt;
}

}  // namespace kml::cli
