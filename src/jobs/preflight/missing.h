#pragma once

#include <list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/preflight/questions.h"
#include "kml/api/resource.h"
#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/jobs/submit/belongings.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// An object that a pod cannot start without, or only where its image is open to all.
struct PodReference {
  const api::ResourceKind* kind;
  std::string name;
  std::string_view without_it = "the job's pods could not start";
  auto operator<=>(const PodReference&) const = default;
};

/// Claims, secrets and config maps of volumes and variables, unless optional; secrets for images; service
/// account; priority class.
std::vector<PodReference> references_of(const Json& pod_spec);

/// Whether all is there that jobs cannot run without: what their pods refer to (see references_of) and the
/// queue that they name. What the submit itself makes is not asked for; where nothing else is named, no
/// request is sent.
class MissingObjects {
 public:
  /// Sends the requests. The embedded server (`is_local`) has a queue of its own, whatever a job names.
  MissingObjects(kube::Client& client, const std::vector<Json>& objects,
                 const std::vector<Belonging>& belongings, bool is_local);

  /// Waits for the answers. One error for each that certainly is not there, with the nearest name and those
  /// that there are. Nothing of a namespace that does not exist: the server says so of the job.
  std::vector<Error> find();
  /// After find(): what nobody could say, in words.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  enum class State { open, there, missing, no_kueue };
  struct Need {
    api::ResourceKind kind;
    std::string namespace_name, name;  ///< namespace of the job, also where the kind has none
    std::string_view without_it;       ///< what would become of the job
    State state = State::open;
    int status = 0;                        ///< of the answer
    std::vector<std::string> others = {};  ///< of its kind that there are
    bool has_no_others = false;            ///< none at all, where that could be read

    std::string where() const { return kind.namespaced ? namespace_name : ""; }
    std::string text() const;
  };

  void add(const api::ResourceKind& kind, const std::string& namespace_name, const std::string& name,
           std::string_view without_it);
  void add_queue(const std::string& namespace_name, const std::string& name);
  void ask(Need& need, bool may_be_old);
  void ask_for_others(Need& need);
  bool has_namespace(const std::string& name);
  Error error_of(const Need& need) const;

  kube::Client& client_;
  Questions questions_;
  std::set<std::pair<std::string, std::string>> own_;  ///< kind and name of what the submit makes
  std::set<std::string> asked_;
  std::list<Need> needs_;
  std::list<std::string> versions_;  ///< of Kueue, that kinds point to
  std::map<std::string, bool> namespaces_;
  std::vector<std::string> unknown_;
};

}  // namespace kml::jobs
