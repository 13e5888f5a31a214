#include "kml/job/views/ownership.h"

#include <algorithm>

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

namespace {

/// The longest chain of owners: a pod's StatefulSet, its leader's pod, the leader's StatefulSet, and the
/// LeaderWorkerSet.
constexpr int kLongestChain = 4;

/// "ray.io/cluster=rj-x7f2q", which the pods of a described kind have as a label.
std::string described_key(const JobKind& kind, const Json& job) {
  const Json& value = kind.pod_label_value.first(job);
  return value.is_string() ? kind.pod_label + "=" + value.get<std::string>() : "";
}

bool is_of_job_kinds(const Json& controller) {
  const api::ResourceKind* kind = api::kind_of(controller);
  return kind && api::is_known(*kind) && is_job_kind(*kind);
}

}  // namespace

const JobKind* described_kind_of_pod(const Json& pod) {
  const Json* controller = api::controller_of(pod);
  const Json& labels = object_at(pod, {"metadata", "labels"});
  if (!controller || labels.empty() || is_of_job_kinds(*controller)) return nullptr;
  const auto kinds = described_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const JobKind* kind) { return labels.contains(kind->pod_label); });
  return found == kinds.end() ? nullptr : *found;
}

std::string pod_selector(const Json& job) {
  if (const JobKind* described = described_kind_of(job)) {
    const std::string key = described_key(*described, job);
    return key.empty() ? described->pod_label + "=" : key;  // without a key, the job has no pods yet
  }
  const std::string kind = api::kind_name(job);
  const std::string_view label = kind == "Job"                            ? api::kLegacyJobName
                                 : kind == "JobSet" || kind == "TrainJob" ? api::kJobSetName
                                                                          : api::kTrainingJobName;
  return std::string(label) + "=" + api::name_of(job);
}

std::string job_key_of_pod(const Json& pod) {
  const Json* controller = api::controller_of(pod);
  if (!controller) return {};
  if (const JobKind* described = described_kind_of_pod(pod))
    return described->pod_label + "=" + api::label_of(pod, described->pod_label);
  if (!is_of_job_kinds(*controller)) return {};
  const std::string kind = api::kind_name(*controller), name = api::entry_name(*controller);
  if (kind == "Job") {
    const std::string set = api::label_of(pod, api::kJobSetName);
    if (!set.empty() && name.starts_with(set + "-")) return "JobSet/" + set;
    const std::string mpi = api::label_of(pod, api::kTrainingJobName);
    if (!mpi.empty() && name == mpi + "-launcher") return "MPIJob/" + mpi;
  }
  return kind + "/" + name;
}

std::string served_program_of(const Json& pod) {
  const std::string name = api::label_of(pod, api::kServe);
  const Json* controller = api::controller_of(pod);
  const bool is_its = !name.empty() && controller && api::kind_name(*controller) == "ReplicaSet" &&
                      api::entry_name(*controller).starts_with(name + "-");
  return is_its ? name : "";
}

std::string pods_key(const Json& job) {
  if (const JobKind* described = described_kind_of(job)) {
    const std::string key = described_key(*described, job);
    return key.empty() ? job_key(job) : key;
  }
  if (api::kind_name(job) == "TrainJob") return "JobSet/" + api::name_of(job);
  return job_key(job);
}

KeyParts parts_of_key(const std::string& key) {
  const size_t end = is_label(key) ? key.find('=') : key.find('/');
  KeyParts parts{key.substr(0, end), key.substr(end + 1)};
  if (is_label(key))
    for (const JobKind* kind : described_kinds())
      if (kind->pod_label == parts.kind) return {kind->name, parts.name};
  return parts;
}

std::string pods_key_of(const std::string& job_key) {
  const auto [kind, name] = parts_of_key(job_key);
  if (kind == "TrainJob") return "JobSet/" + name;
  for (const JobKind* described : described_kinds())
    if (described->name == kind && described->pod_label_value.text() == "metadata.name")
      return described->pod_label + "=" + name;
  return job_key;
}

std::string job_key(const Json& job) {
  return shown_kind(job) + "/" + api::name_of(job);
}

bool is_controlled_by(const Json& object, const Json& controller) {
  const Json* own = api::controller_of(object);
  return own && api::entry_uid(*own) == api::uid_of(controller);
}

bool has_pod(const Json& job, const Json& pod) {
  if (pods_key(job) != job_key_of_pod(pod)) return false;
  const Json& controller = *api::controller_of(pod);
  return api::kind_of(controller) != api::kind_of(job) || api::entry_uid(controller) == api::uid_of(job);
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

/// The reference to the controller of `object`; `object` is itself a reference. Null if it has no
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
