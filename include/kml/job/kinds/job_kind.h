#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/expression.h"
#include "kml/base/json.h"
#include "kml/job/kinds/object_path.h"
#include "kml/job/kinds/state.h"
#include "kml/kube/objects/resource.h"

// Kinds of jobs that a file describes: kml's own, in templates/kinds, and the user's, in
// config_folder()/kinds. The common kinds (Job, PyTorchJob and others of job_kinds()) need
// separate code.

namespace kml::job {

struct JobKind {
  /// The pod templates at a path. `count` is the path of the number of pods, which is beside the template.
  /// Without `count`, there is one pod.
  struct Templates {
    ObjectPath path;
    std::string count;
    /// whether the path leads to a pod's spec, without metadata; `count` is then a field in that spec
    bool is_spec = false;
  };
  /// The job's state is that of the first expression that is true.
  struct Rule {
    State state;
    Expression holds;
  };

  std::string text;   ///< the text of the description
  std::string file;   ///< the file with the description; empty for a kind that kml has built in
  std::string group;  ///< the API group; empty for the core group
  std::string version, kind, plural;
  std::string name;            ///< the kind as users see it: "VolcanoJob" for Volcano's Job
  std::string word;            ///< the kind as users type it: "vcjob", for vcjob/NAME
  std::string operator_name;   ///< what a cluster needs to run jobs of this kind
  std::string pod_label;       ///< the label that all pods of a job have
  ObjectPath pod_label_value;  ///< the path of the value of `pod_label` in the job
  std::vector<std::string>
      index_labels;  ///< labels that identify a pod within its job; the last one has the pod's number
  std::vector<Templates> templates;
  /// if empty, the usual conditions apply: Complete, Completed, Succeeded and Failed
  std::vector<Rule> states;
  ObjectPath started, finished, message;
  Json suspend, resume, cancel;  ///< {"patch": …} or {"create": …}; null if impossible

  /// Views of this kind's strings.
  api::ResourceKind resource() const;
  std::string api_version() const { return resource().api_version(); }
};

/// Reads a description. Throws usage Error with the place of the fault.
JobKind parse_kind(std::string_view text, const std::string& source);

/// All kinds that files describe. A file of the user replaces kml's own description of the same kind. Files
/// are read once, when first needed; a faulty one is left out.
std::span<const JobKind* const> described_kinds();
/// The user's files, sorted by name.
std::vector<std::filesystem::path> kind_files();
/// What is wrong with the user's files that have been read so far.
std::span<const Error> faulty_kinds();
/// The described kinds as kinds of the API.
std::span<const api::ResourceKind* const> described_resources();

/// The description of the kind of an object, or of an entry that refers to one; nullptr if there is no
/// description.
const JobKind* described_kind_of(const Json& object);

struct DescribedState {
  State state = State::waiting;
  std::string fault;  ///< why the state is unknown
};
/// Uses only the object, not its pods and not kml's own annotations.
DescribedState state_by_description(const JobKind& kind, const Json& job);

/// The action with the job's values instead of {name}, {namespace} and {uid}.
Json filled_action(const Json& action, const Json& job);

}  // namespace kml::job
