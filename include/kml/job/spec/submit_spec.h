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

/// The value of `--gpus [TYPE:]N`. The type is a short name ("a100"), a product ("NVIDIA-L4"), a slice
/// ("mig-1g.5gb"), a resource ("amd.com/gpu"), the least memory (">=40Gi"), or alternatives ("h100|a100"). An
/// empty type means any NVIDIA GPU.
struct Gpus {
  std::string type;
  int count = 0;
};

/// `--mount pvc/NAME[/sub]:/path[:ro]`.
struct Mount {
  enum class Kind { pvc, host, secret, config_map, nfs, image, new_claim, empty, here };
  Kind kind = Kind::pvc;
  /// the name of an object, an absolute path on the host, a file server, an image, the size of a new claim,
  /// or a local folder as given
  std::string source;
  std::string sub_path;            ///< the path in the volume, or on the file server; may be empty
  std::string storage_class = {};  ///< the storage class of a new claim; empty for the cluster's default
  std::string path;                ///< the absolute path in the container
  bool read_only = false;
};

/// The value of `--secret NAME`, `NAME=-` or `NAME=@FILE`: an environment variable, and where its value comes
/// from. The value itself is never stored here.
struct SecretVariable {
  enum class From { environment, standard_input, file };
  std::string name;
  From from = From::environment;
  std::string file;
  Origin origin;
};

/// The value of `--array 0-199%8`: independent tasks with these numbers. At most `parallel` of them run at
/// the same time.
struct Array {
  TaskNumbers numbers;
  int parallel = 0;
};

/// The value of `--set path=value`. The value is YAML, and a path looks like
/// `spec.template.spec.containers[0].image`.
struct PathValue {
  std::string path;
  Json value;
  Origin origin;
};

/// The topology level, such as a rack, within which all pods of a job should run.
struct Topology {
  std::string level;  ///< a label of nodes, "example.com/rack", or the last part of such a label, "rack"
  bool is_preferred = false;
};

/// The packages that are installed before the command runs: `--uv`, `--requirements FILE`, `--conda FILE` and
/// `--env-store`.
struct Packages {
  bool by_uv = false;  ///< the packages come from the script's header, or from the folder's pyproject.toml
  std::string requirements;  ///< the file
  /// parts of the pyproject.toml to install besides its dependencies
  std::vector<std::string> extras, groups;
  std::string conda;           ///< the environment.yml
  std::optional<Mount> store;  ///< where environments are kept; its `path` is chosen later
  /// chosen later: the Secret with the lock and the program that installs it; empty without packages
  std::string secret_object;
  std::string interpreter = "python3";  ///< the Python of the environment

  bool are_wanted() const { return by_uv || !requirements.empty() || !conda.empty(); }
};

/// The values of the common flags. If a member is empty, the template's value applies.
struct SubmitSpec {
  std::string name;           ///< metadata.name; if empty, a name is generated later
  std::string template_name;  ///< the name of a template, or the path of its file
  std::vector<std::string> command;
  std::string image;
  std::optional<Gpus> gpus;  ///< per pod
  std::string cpu;           ///< a quantity for each pod
  std::string memory;
  std::string shm;           ///< size of /dev/shm
  std::optional<int> nodes;  ///< the total number of pods
  std::map<std::string, std::string> env;
  std::vector<SecretVariable> secrets;
  std::string secret_object;          ///< the Secret that contains the variables; its name is chosen later
  std::vector<std::string> env_from;  ///< existing Secrets; each key becomes an environment variable
  std::vector<Mount> mounts;
  std::vector<std::string> data;     ///< SOURCE:/path of data from outside of the cluster
  std::vector<Origin> data_origins;  ///< where each element of `data` was set
  std::string data_store;            ///< pvc/NAME, where the data stays
  std::string working_folder;  ///< may be relative to the folder with the code, or to kml's current folder
  std::string code;            ///< the folder whose files are copied
  /// the Secrets that contain the files; their names are chosen later
  std::vector<std::string> code_secrets;
  Packages packages;
  std::map<std::string, std::string> node_selector;
  std::vector<Json> tolerations;  ///< v1 Toleration
  std::string priority;
  std::string queue;
  std::optional<Topology> topology;
  std::optional<int> retries;
  std::optional<seconds> grace;
  std::optional<seconds> time_limit;
  std::optional<seconds> ttl;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::string service_account;
  std::vector<std::string> pull_secrets;
  std::optional<Array> array;
  std::vector<Setting> parameters;  ///< `-p name=value`, where `name` is the name of the parameter
  std::vector<PathValue> sets;

  /// The names of the flags on the command line, and "template" if the environment sets it. If one of these
  /// flags cannot be applied to anything, that is an error. Such a default is ignored instead.
  std::set<std::string> given;
};

/// Parses and checks all settings, which must be sorted by increasing precedence. If a flag has several
/// values, the last one is used. All values of a repeatable flag are used; if several are for the same
/// variable, label or mount path, the last of them is used. Throws a single usage Error with all problems; a
/// file that an agent may not read is an Error at once. `-p` is checked later, against the template. With -f,
/// pass only settings from the command line, because defaults from files and the environment only apply to
/// templates.
SubmitSpec parse_settings(std::span<const Setting> settings, std::vector<std::string> command = {});

/// The first part of a generated name, made from the command: "train" for "python train.py --lr 1". It is a
/// DNS label that starts with a letter and has at most 40 characters.
std::string name_base(const SubmitSpec& spec);

}  // namespace kml::spec
