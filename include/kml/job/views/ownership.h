#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/kube/client/client.h"

// Determines the job to which a pod belongs. Labels do not prove this, because anyone may copy them. A pod's
// controller does: it is either the job, or an object in between (a JobSet's Job, a TrainJob's JobSet, an
// MPIJob's launcher).

namespace kml::job {

/// A label selector that finds a job's pods. It may find other pods, too.
std::string pod_selector(const Json& job);

/// The description of the kind of the pod's job, by the pod's label. nullptr if the pod has no controller or
/// no such label, or if its controller is a job of job_kinds().
const JobKind* described_kind_of_pod(const Json& pod);

/// The key of a pod's job, from the names of its controllers: "Job/name", "PyTorchJob/name" and so on. For a
/// described kind, the key is a label of the pod: "ray.io/cluster=name". Empty if the pod has no job. The
/// pods of a TrainJob belong to its JobSet, and do not name the TrainJob. This is enough for a table, which
/// lists many pods. A command that enters a pod, or relies on its output, must use Ownership.
std::string job_key_of_pod(const Json& pod);
/// The program of `kml serve` that has the pod; empty if there is none. The label alone proves nothing,
/// because anybody can set it: the pod's ReplicaSet must also be named after the program.
std::string served_program_of(const Json& pod);
/// Whether a key from job_key_of_pod() is the label of a described kind.
inline bool is_label(std::string_view key) {
  return key.find('=') != std::string_view::npos;
}
/// The job_key_of_pod() that the job's pods have.
std::string pods_key(const Json& job);
/// The kind and the name in a key from job_key_of_pod(). If the key is a label, the first kind that uses the
/// label, and the label's value.
struct KeyParts {
  std::string kind, name;
};
KeyParts parts_of_key(const std::string& key);
/// The pods_key() of the job with this job_key(). If the job itself is needed to find the value of its pods'
/// label, returns the job_key().
std::string pods_key_of(const std::string& job_key);
/// The job itself as "Job/name".
std::string job_key(const Json& job);
/// Whether the pod has the job's pods_key(). False if its controller is a different object with the job's
/// name.
bool has_pod(const Json& job, const Json& pod);

/// Whether `controller` is the object's own controller, judging by its uid. For example, a Deployment is the
/// controller of its ReplicaSets, and each of these is the controller of its pods.
bool is_controlled_by(const Json& object, const Json& controller);

/// Objects of one kind to which the controllers of pods may lead.
struct Owners {
  std::string kind;
  std::set<std::string> uids;
};
/// The objects must be of the same kind.
Owners owners_of(const std::vector<Json>& objects);

/// Finds the owner of a pod by the uids of its controllers.
class Ownership {
 public:
  /// Whether the pod belongs to the job. Sends a request only for a controller that it meets for the first
  /// time and that is not the job. Throws Error if the server does not respond. The job may be of any kind.
  bool has(kube::Client& client, const Json& job, const Json& pod);
  /// Whether the pod belongs to one of these objects, which may be of any kind.
  bool has(kube::Client& client, const Owners& owners, const Json& pod);

 private:
  const Json& controller_of(kube::Client& client, const Json& pod, const Json& object);

  std::map<std::string, Json>
      controllers_;  ///< references to the controllers of objects, by the uids of the objects
};

}  // namespace kml::job
