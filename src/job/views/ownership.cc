#include "kml/job/views/ownership.h"

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

namespace {

/// The longest chain of owners: a pod's Job, its JobSet, and the TrainJob.
constexpr int kLongestChain = 3;

}  // namespace

std::string pod_selector(const Json& job) {
  const std::string kind = api::kind_name(job);
  const std::string_view label = kind == "Job"                            ? api::kLegacyJobName
                                 : kind == "JobSet" || kind == "TrainJob" ? api::kJobSetName
                                                                          : api::kTrainingJobName;
  return std::string(label) + "=" + api::name_of(job);
}

std::string job_key_of_pod(const Json& pod) {
  const Json* controller = api::controller_of(pod);
  if (!controller || !is_job(*controller)) return {};
  const std::string kind = api::kind_name(*controller), name = api::entry_name(*controller);
  if (kind == "Job") {
    const std::string set = api::label_of(pod, api::kJobSetName);
    if (!set.empty() && name.starts_with(set + "-")) return "JobSet/" + set;
    const std::string mpi = api::label_of(pod, api::kTrainingJobName);
    if (!mpi.empty() && name == mpi + "-launcher") return "MPIJob/" + mpi;
  }
  return kind + "/" + name;
}

std::string pods_key(const Json& job) {
  if (api::kind_name(job) == "TrainJob") return "JobSet/" + api::name_of(job);
  return job_key(job);
}

std::string job_key(const Json& job) {
  return api::kind_name(job) + "/" + api::name_of(job);
}

bool is_controlled_by(const Json& object, const Json& controller) {
  const Json* own = api::controller_of(object);
  return own && api::entry_uid(*own) == api::uid_of(controller);
}

bool has_pod(const Json& job, const Json& pod) {
  if (pods_key(job) != job_key_of_pod(pod)) return false;
  const Json& controller = *api::controller_of(pod);
  return api::kind_name(controller) != api::kind_name(job) || api::entry_uid(controller) == api::uid_of(job);
}

Owners owners_of(const std::vector<Json>& objects) {
  Owners owners;
  for (const Json& object : objects) {
    owners.kind = api::kind_name(object);
    owners.uids.insert(api::uid_of(object));
  }
  return owners;
}

bool Ownership::has(kube::Client& client, const Json& job, const Json& pod) {
  if (is_job(job) && !has_pod(job, pod)) return false;
  return has(client, owners_of({job}), pod);
}

bool Ownership::has(kube::Client& client, const Owners& owners, const Json& pod) {
  const Json* controller = api::controller_of(pod);
  for (int steps = 0; steps < kLongestChain && controller && !controller->is_null(); ++steps) {
    if (owners.uids.contains(api::entry_uid(*controller))) return true;
    if (api::kind_name(*controller) == owners.kind) return false;
    controller = &controller_of(client, pod, *controller);
  }
  return false;
}

/// The reference to the controller of `object`, which is itself given as a reference. Null if it has no
/// controller, no longer exists, or cannot be read.
const Json& Ownership::controller_of(kube::Client& client, const Json& pod, const Json& object) {
  const auto note = [this](const Json& found) {
    const Json* controller = api::controller_of(found);
    controllers_[api::uid_of(found)] = controller ? *controller : Json();
  };
  const std::string uid = api::entry_uid(object);
  if (controllers_.contains(uid)) return controllers_[uid];
  const std::string set = api::label_of(pod, api::kJobSetName);
  const std::string namespace_name = api::namespace_of(pod);
  try {
    const api::ResourceKind& kind = client.kind_of(object);
    if (kind.kind == "Job" && !set.empty()) {  // the JobSet may have many Jobs
      const std::string selector = std::string(api::kJobSetName) + "=" + set;
      for (const Json& job : client.list(kind, namespace_name, {selector, {}}).items) note(job);
    } else if (const auto found = client.get_if_exists(kind, namespace_name, api::entry_name(object))) {
      note(*found);
    }
  } catch (const Error& error) {
    // A pod of another user may refer to a kind that does not exist, or that this user may not read.
    if (error.code != ErrorCode::usage && error.http_status != 403 && error.http_status != 404) throw;
  }
  return controllers_[uid];
}

}  // namespace kml::job
