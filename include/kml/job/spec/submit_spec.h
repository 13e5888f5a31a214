#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/setting.h"
#include "kml/job/spec/task_numbers.h"

namespace kml::spec {

using std::chrono::seconds;

/// `--gpus [TYPE:]N`. The type is a short name ("a100"), a product ("NVIDIA-L4"), a slice ("mig-1g.5gb") or a
/// resource ("amd.com/gpu"); empty means any NVIDIA GPU.
struct Gpus {
  std::string type;
  int count = 0;
};

/// `--mount pvc/NAME[/sub]:/path[:ro]`.
struct Mount {
  enum class Kind { pvc, host, secret, config_map, here };
  Kind kind = Kind::pvc;
  std::string source;    ///< the object's name, an absolute path on the host, or a local folder as given
  std::string sub_path;  ///< within the volume, may be empty
  std::string path;      ///< in the container, absolute
  bool read_only = false;
};

/// `--secret NAME`, `NAME=-`, `NAME=@FILE`: an environment variable and the source of its value. The value
/// itself is never stored here.
struct SecretVariable {
  enum class From { environment, standard_input, file };
  std::string name;
  From from = From::environment;
  std::string file;
  Origin origin;
};

/// `--array 0-199%8`: independent tasks with these numbers, at most `parallel` of them at once.
struct Array {
  TaskNumbers numbers;
  int parallel = 0;
};

/// `--set path=value`: the value is YAML, and a path looks like `spec.template.spec.containers[0].image`.
struct PathValue {
  std::string path;
  Json value;
  Origin origin;
};

/// The values of the common flags. If a field is empty, the template's value applies.
struct SubmitSpec {
  std::string name;           ///< metadata.name; if empty, the jobs layer generates one
  std::string template_name;  ///< a catalog name, or the path of a file
  std::vector<std::string> command;
  std::string image;
  std::optional<Gpus> gpus;  ///< per pod
  std::string cpu;           ///< quantity, per pod
  std::string memory;
  std::string shm;           ///< size of /dev/shm
  std::optional<int> nodes;  ///< total number of pods
  std::map<std::string, std::string> env;
  std::vector<SecretVariable> secrets;
  std::string secret_object;          ///< the Secret that has them; the jobs layer chooses its name
  std::vector<std::string> env_from;  ///< existing Secrets: every key becomes an environment variable
  std::vector<Mount> mounts;
  std::string working_folder;  ///< may be relative to the code's folder, or to kml's working folder
  std::string code;            ///< folder whose files are copied
  std::vector<std::string> code_secrets;  ///< the Secrets that have them; the jobs layer names them
  std::map<std::string, std::string> node_selector;
  std::vector<Json> tolerations;  ///< v1 Toleration
  std::string priority;
  std::string queue;
  std::optional<int> retries;
  std::optional<seconds> grace;
  std::optional<seconds> time_limit;
  std::optional<seconds> ttl;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::string service_account;
  std::vector<std::string> pull_secrets;
  std::optional<Array> array;
  std::vector<Setting> parameters;  ///< `-p name=value`; `name` is the parameter's name
  std::vector<PathValue> sets;

  /// Names of the flags on the command line. If one of them has nothing to apply to, that is an error;
  /// defaults from files are then ignored.
  std::set<std::string> given;
};

/// Parses and checks all settings, which must be in order of increasing precedence. If a flag has several
/// values, the last one wins. Values of a repeatable flag add up, but the last one for the same variable,
/// label or mount path wins. Throws one Error (usage) with every problem. `-p` is checked later, against the
/// template.
///
/// With -f, pass only the settings of the command line: defaults from files and the environment apply only to
/// templates.
SubmitSpec parse_settings(std::span<const Setting> settings, std::vector<std::string> command = {});

/// The first part of a generated name, from the command ("python train.py --lr 1" gives "train"). It is a DNS
/// label of at most 40 characters that starts with a letter.
std::string name_base(const SubmitSpec& spec);

}  // namespace kml::spec
