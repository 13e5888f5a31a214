#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/spec/setting.h"
#include "kml/spec/task_numbers.h"

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
  std::string source;    ///< the object's name, the host's absolute path, or as it was given a folder of here
  std::string sub_path;  ///< within the volume, may be empty
  std::string path;      ///< in the container, absolute
  bool read_only = false;
};

/// `--secret NAME`, `NAME=-`, `NAME=@FILE`: an environment variable, and where its value is to be read. The
/// value itself never comes here.
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

/// `--set path=value`: the value is YAML, the path as in `spec.template.spec.containers[0].image`.
struct PathValue {
  std::string path;
  Json value;
  Origin origin;
};

/// What the common flags say. A field that is empty was not given, and leaves the template's value alone.
struct SubmitSpec {
  std::string name;           ///< metadata.name; the jobs layer draws one where it is empty
  std::string template_name;  ///< a catalog name, or the path of a file
  std::vector<std::string> command;
  std::string image;
  std::optional<Gpus> gpus;  ///< per pod
  std::string cpu;           ///< quantity, per pod
  std::string memory;
  std::string shm;           ///< size of /dev/shm
  std::optional<int> nodes;  ///< pods in all
  std::map<std::string, std::string> env;
  std::vector<SecretVariable> secrets;
  std::string secret_object;          ///< the Secret that holds them, one key each; the jobs layer names it
  std::vector<std::string> env_from;  ///< existing Secrets: every key becomes an environment variable
  std::vector<Mount> mounts;
  std::string working_folder;  ///< may be relative: to the code's folder, or the one that kml was called in
  std::string code;            ///< folder whose files go along
  std::vector<std::string> code_secrets;  ///< the Secrets that hold them; the jobs layer names them
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
  std::vector<Setting> parameters;  ///< `-p name=value`: here `name` is the parameter's
  std::vector<PathValue> sets;

  /// Flags of the command line: one that has nothing to apply to is refused, while a default from a file is
  /// let go.
  std::set<std::string> given;
};

/// Parses and checks all settings, in order of rising precedence: the last value of a flag wins, and those of
/// a repeating flag add up (the same variable, label or mount path: the last wins). Throws one Error (usage)
/// with every problem. `-p` is checked later, against the template.
///
/// For manifests of -f, pass the command line's settings alone: defaults of files and of the environment are
/// for what templates leave open.
SubmitSpec parse_settings(std::span<const Setting> settings, std::vector<std::string> command = {});

/// A base for a generated name, from what the command runs ("python train.py --lr 1" gives "train"): a DNS
/// label of at most 40 characters that starts with a letter.
std::string name_base(const SubmitSpec& spec);

}  // namespace kml::spec
