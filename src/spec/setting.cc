#include "kml/spec/setting.h"

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
      {"name", "NAME", "Name of the job; one is made up where it is not given"},
      {"template", "TEMPLATE", "Template: a name of `kml template list`, or a file", "template"},
      {"image", "IMAGE", "Container image", "image"},
      {"gpus", "[TYPE:]N", "GPUs per pod: 2, a100:4, mig-1g.5gb:1", "gpus"},
      {"cpu", "QUANTITY", "CPUs per pod: 4, 500m", "cpu"},
      {"memory", "QUANTITY", "Memory per pod: 16Gi", "memory"},
      {"nodes", "N", "Pods in all, the master included", "nodes"},
      {"env", "NAME[=VALUE]", "Environment variable; of NAME alone the value is that of kml's own variable",
       "env", kRepeats, kMap},
      {"secret", "NAME[=-|=@FILE]",
       "Secret environment variable: its value is that of kml's own variable NAME, or standard input's, or a "
       "file's; "
       "it is kept in a Secret that goes with the job",
       "secrets", kRepeats},
      {"env-from", "SECRET", "Existing Secret whose keys become environment variables", "env-from", kRepeats},
      {"mount", "SOURCE:PATH[:ro]",
       "Volume: pvc/NAME[/SUB]:/path, host/DIR:/path, secret/NAME:/path, configmap/NAME:/path; on this "
       "machine also "
       "./DIR:/path",
       "mounts", kRepeats},
      {"shm", "QUANTITY", "Size of /dev/shm: 16Gi", "shm"},
      {"code", "DIR",
       "Folder of code that goes along, without what git ignores: the command starts in a copy of it; at "
       "most 16 MiB "
       "compressed, and the image needs sh, cat, gzip and tar",
       "code"},
      {"chdir", "DIR", "Working folder of the command: absolute, or on this machine and with --code relative",
       "chdir"},
      {"node-selector", "KEY=VALUE", "Label that a node must have", "node-selector", kRepeats, kMap},
      {"toleration", "KEY[=VALUE][:EFFECT]",
       "Taint that is tolerated; that of GPU nodes is, where GPUs are asked for", "tolerations", kRepeats},
      {"priority", "CLASS", "Priority class", "priority"},
      {"queue", "QUEUE", "Kueue's local queue", "queue"},
      {"retries", "N", "How often a failed pod is tried again; a preemption is not a retry", "retries"},
      {"grace", "DURATION", "Time between SIGTERM and SIGKILL: 120s (60s in kml's templates)", "grace"},
      {"time-limit", "DURATION", "The job is ended after this time: 12h", "time-limit"},
      {"ttl", "DURATION", "The job is deleted this long after its end: 7d", "ttl"},
      {"label", "KEY=VALUE", "Label of the job and its pods", "labels", kRepeats, kMap},
      {"annotation", "KEY=VALUE", "Annotation of the job", "annotations", kRepeats, kMap},
      {"service-account", "NAME", "Service account of the pods", "service-account"},
      {"pull-secret", "NAME", "Secret for pulling the image", "pull-secrets", kRepeats},
      {"array", "NUMBERS[%P]",
       "Independent tasks with these numbers, 0-99, 1-5,8 or 0-90:10, at most P at once; each finds its own "
       "in $KML_TASK"},
      {"param", "NAME=VALUE", "Parameter of the template", "parameters", kRepeats, kMap},
      {"set", "PATH=VALUE", "Sets any field: spec.suspend=true", "", kRepeats},
  };
  return kFlags;
}

const Flag* submit_flag(std::string_view name) {
  for (const Flag& flag : submit_flags())
    if (flag.name == name) return &flag;
  return nullptr;
}

}  // namespace kml::spec
