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
  /// The pod templates at a path. `counts` are the fields beside the template whose product is the number of
  /// pods. Without them, there is one pod.
  struct Templates {
    ObjectPath path;
    std::vector<std::string> counts;
    /// whether the path leads to a pod's spec, without metadata; `counts` are then fields in that spec
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
  /// the paths of the fields that --queue, --retries, --time-limit and --ttl set, in the syntax of --set;
  /// empty if the kind has no such field or, for the queue, if it is Kueue's label of the job
  std::string queue, retries, time_limit, ttl;
  Json suspend, resume, cancel;  ///< {"patch": …} or {"create": …}; null if impossible

  /// Views of this kind's strings.
  api::ResourceKind resource() const;
  std::string api_version() const { return resource().api_version(); }
};

/// Reads a description. Throws usage Error with the place of the fault.
JobKind parse_kind(std::string_view text, const std::string& source);

/// Throws usage Error if files cannot describe the kind: kml knows it without a file, or its word means
/// another kind.
void require_describable(const JobKind& kind);
/// Throws usage Error if two of the user's files describe the same kind, or if two kinds have the same word.
void require_distinct(const JobKind& kind, const JobKind& other);

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

/// Whether the description says where all pods of the job are. If not, only the pods themselves show how many
/// there are, and how many GPUs they have.
bool shows_pods(const JobKind& kind, const Json& job);

/// Whether jobs of the kind have no end of their own: no expression makes one ended.
bool runs_until_deleted(const JobKind& kind);

struct DescribedState {
  State state = State::waiting;
  std::string fault;  ///< why the state is unknown
};
/// Uses only the object, not its pods and not kml's own annotations.
DescribedState state_by_description(const JobKind& kind, const Json& job);

/// The action with the job's values instead of {name}, {namespace} and {uid}.
Json filled_action(const Json& action, const Json& job);

}  // namespace kml::job
