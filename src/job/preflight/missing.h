#pragma once

#include <list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/preflight/questions.h"
#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/job/submit/belongings.h"
#include "kml/kube/client/client.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

/// An object that a pod needs to start. A pull secret is only needed if the image is not public.
struct PodReference {
  const api::ResourceKind* kind;
  std::string name;
  std::string_view without_it = "the pods could not start";
  auto operator<=>(const PodReference&) const = default;
};

/// The objects that a pod refers to: claims, secrets and config maps in volumes and variables, unless
/// optional; image pull secrets; the service account; and the priority class.
std::vector<PodReference> references_of(const Json& pod_spec);

/// Checks that the objects that jobs need exist: those that their pods refer to (see references_of) and their
/// queue. Does not check objects that the submit creates. Sends no request if nothing must be checked.
class MissingObjects {
 public:
  /// Sends the requests. If the server is the embedded one (`is_local`), a job's queue is ignored, because
  /// that server has its own queue.
  MissingObjects(kube::Client& client, const std::vector<Json>& objects,
                 const std::vector<Belonging>& belongings, bool is_local);

  /// Waits for the responses. Returns an Error for each object, and for the embedded server each path of this
  /// machine, that certainly does not exist, with the nearest name and the existing names. Also for a volume
  /// claim that is being deleted, because no new pod can mount it. Skips a namespace
  /// that does not exist, because the server reports it for the job itself.
  std::vector<Error> find();
  /// The checks that could not be made, in words. Call this after find().
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  enum class State { open, there, leaving, missing, no_kueue };
  struct Need {
    api::ResourceKind kind;
    std::string namespace_name, name;  ///< the job's namespace, even if the object is cluster-scoped
    std::string_view without_it;       ///< the consequence for the job if the object is missing
    State state = State::open;
    int status = 0;                        ///< the HTTP status of the response
    std::string deleted = {};              ///< when the deletion began of an object that is being deleted
    std::vector<std::string> others = {};  ///< names of other objects of the same kind
    bool has_no_others = false;            ///< whether the list is known to be empty

    std::string where() const { return kind.namespaced ? namespace_name : ""; }
    std::string text() const;
  };

  void add(const api::ResourceKind& kind, const std::string& namespace_name, const std::string& name,
           std::string_view without_it);
  void add_queue(const std::string& namespace_name, const std::string& name);
  void add_runtime(const Json& object);
  void ask(Need& need, bool may_be_old);
  void ask_for_others(Need& need);
  bool has_namespace(const std::string& name);
  void take(Need& need, const Questions::Answer& answer, bool may_be_old);
  Error error_of(const Need& need) const;

  kube::Client& client_;
  const bool is_local_;
  Questions questions_;
  std::set<std::pair<std::string, std::string>> own_;  ///< kind and name of objects that the submit creates
  std::set<std::string> asked_;
  std::list<Need> needs_;
  std::list<std::string> versions_;  ///< API versions of Kueue; the kinds refer to these strings
  std::map<std::string, bool> namespaces_;
  std::vector<std::string> unknown_;
  std::vector<Error> paths_;  ///< the faults of paths of this machine
};

}  // namespace kml::job
