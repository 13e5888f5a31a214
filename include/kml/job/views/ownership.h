#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

// The job that a pod belongs to. Labels do not show it, because anyone may copy them. A pod's controller
// does: it is the job, or an object between both (a JobSet's Job, a TrainJob's JobSet, an MPIJob's launcher).

namespace kml::job {

/// The label selector that finds a job's pods; it may find other pods too.
std::string pod_selector(const Json& job);

/// The key of a pod's job, by the names of its controllers: "Job/name", "PyTorchJob/name" and so on; for a
/// described kind, by its label: "ray.io/cluster=name"; empty if it has none. A TrainJob's pods belong to its
/// JobSet and do not name the TrainJob. Enough for a table, which lists many pods; a command that enters a
/// pod, or believes what it says, asks Ownership.
std::string job_key_of_pod(const Json& pod);
/// Whether such a key is the label of a described kind.
inline bool is_label(std::string_view key) {
  return key.find('=') != std::string_view::npos;
}
/// The job_key_of_pod() of the job's pods.
std::string pods_key(const Json& job);
/// The kind and the name in such a key. For a label, the kind is the first that has it, and the name its
/// value.
struct KeyParts {
  std::string kind, name;
};
KeyParts parts_of_key(const std::string& key);
/// The same for a job that is known by its job_key(). Without the job itself, it is not known where the
/// kind's pods have a label with another value than the job's name.
std::string pods_key_of(const std::string& job_key);
/// "Job/name" of the job itself.
std::string job_key(const Json& job);
/// Whether the pod has the job's pods_key(), and no controller with the same name that is another object.
bool has_pod(const Json& job, const Json& pod);

/// Whether the object's own controller is this one, by its uid: a ReplicaSet of a Deployment, or its pod.
bool is_controlled_by(const Json& object, const Json& controller);

/// Objects of one kind, to which the controllers of pods may lead.
struct Owners {
  std::string kind;
  std::set<std::string> uids;
};
/// The objects must be of the same kind.
Owners owners_of(const std::vector<Json>& objects);

/// The owner of a pod, by the uids of its controllers.
class Ownership {
 public:
  /// Sends a request only for a controller that is met for the first time and is not the job. Throws Error if
  /// the server does not answer it. The job may be of any kind.
  bool has(kube::Client& client, const Json& job, const Json& pod);
  /// The same for a pod of one of these objects, of any kind.
  bool has(kube::Client& client, const Owners& owners, const Json& pod);

 private:
  const Json& controller_of(kube::Client& client, const Json& pod, const Json& object);

  std::map<std::string, Json>
      controllers_;  ///< references to the controllers of objects, by the objects' uids
};

}  // namespace kml::job
