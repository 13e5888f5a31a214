#include "kml/job/spec/setting.h"

namespace kml::spec {

std::string Origin::text() const {
  if (source == Source::builtin) return "default";
  if (line == 0) return name;
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Problem Origin::problem(std::string what) const {
  const bool is_file = source == Source::user_file || source == Source::project_file;
  if (is_file) return {name, line, column, {}, std::move(what)};
  return {{}, 0, 0, name, std::move(what)};
}

std::span<const Flag> submit_flags() {
  static constexpr bool kRepeats = true, kMap = true;
  static constexpr Flag kFlags[] = {
      {"name", "NAME", "name of the job; generated if not given"},
      {"template", "TEMPLATE", "template: a name from `kml template list`, or a file", "template"},
      {"image", "IMAGE", "container image", "image"},
      {"gpus", "[TYPE:]N", "GPUs per pod: 2, a100:4, mig-1g.5gb:1", "gpus"},
      {"cpu", "QUANTITY", "CPUs per pod: 4, 500m", "cpu"},
      {"memory", "QUANTITY", "memory per pod: 16Gi", "memory"},
      {"nodes", "N", "number of pods, including the master", "nodes"},
      {"env", "NAME[=VALUE]", "environment variable; NAME alone copies the value from your environment",
       "env", kRepeats, kMap},
      {"secret", "NAME[=-|=@FILE]",
       "secret variable, from your environment, standard input (=-) or a file (=@FILE)", "secrets", kRepeats},
      {"env-from", "SECRET", "existing Secret whose keys become environment variables", "env-from", kRepeats},
      {"mount", "SOURCE:PATH[:ro]",
       "volume: pvc/NAME[/SUB]:/path, host/DIR:/path, secret/NAME:/path, ./DIR:/path", "mounts", kRepeats},
      {"shm", "QUANTITY", "size of /dev/shm: 16Gi", "shm"},
      {"code", "DIR", "copy this folder into the container and start the command in it", "code"},
      {"chdir", "DIR", "working directory of the command", "chdir"},
      {"node-selector", "KEY=VALUE", "label that a node must have", "node-selector", kRepeats, kMap},
      {"toleration", "KEY[=VALUE][:EFFECT]",
       "taint to tolerate; with --gpus, the taint of GPU nodes is tolerated", "tolerations", kRepeats},
      {"priority", "CLASS", "priority class", "priority"},
      {"queue", "QUEUE", "LocalQueue of Kueue", "queue"},
      {"retries", "N", "how many times to retry a failed pod; preemptions do not count", "retries"},
      {"grace", "DURATION", "time between SIGTERM and SIGKILL: 120s (kml's templates: 60s)", "grace"},
      {"time-limit", "DURATION", "stop the job after this time: 12h", "time-limit"},
      {"ttl", "DURATION", "delete the job this long after it has ended: 7d", "ttl"},
      {"label", "KEY=VALUE", "label of the job and its pods", "labels", kRepeats, kMap},
      {"annotation", "KEY=VALUE", "annotation of the job", "annotations", kRepeats, kMap},
      {"service-account", "NAME", "service account of the pods", "service-account"},
      {"pull-secret", "NAME", "secret for pulling the image", "pull-secrets", kRepeats},
      {"array", "NUMBERS[%P]", "tasks with these numbers (0-99, 1-5,8, 0-90:10), at most P at a time"},
      {"param", "NAME=VALUE", "parameter of the template", "parameters", kRepeats, kMap},
      {"set", "PATH=VALUE", "set any field of the manifest: spec.suspend=true", "", kRepeats},
  };
  return kFlags;
}

const Flag* submit_flag(std::string_view name) {
  for (const Flag& flag : submit_flags())
    if (flag.name == name) return &flag;
  return nullptr;
}

}  // namespace kml::spec
