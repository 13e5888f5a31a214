#include "local/controllers/job_pod_index.h"

#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "local/controllers/job_pods.h"
#include "local/store/object.h"

namespace kml::local {

void JobPodIndex::track(const ObjectPtr& pod) {
  const std::string owner = controller_uid(*pod);
  if (owner.empty()) return;
  const bool has_ended = pod_has_ended(*pod);
  if (!has_ended || has_finalizer(*pod, kTrackingFinalizer))
    open_[owner][api::full_name_of(*pod)] = {pod, has_ended, is_being_deleted(*pod),
                                             api::condition_is_true(*pod, "Ready")};
  else
    forget(*pod);
  if (const int index = completion_index(*pod); index >= 0 && phase_of(*pod) == "Failed")
    failed_[owner].emplace(index, name_of(*pod));
}

void JobPodIndex::forget(const Json& pod) {
  const auto found = open_.find(controller_uid(pod));
  if (found == open_.end()) return;
  found->second.erase(api::full_name_of(pod));
  if (found->second.empty()) open_.erase(found);
}

std::vector<JobPodIndex::OpenPod> JobPodIndex::open(const std::string& job_uid) const {
  std::vector<OpenPod> pods;
  if (const auto found = open_.find(job_uid); found != open_.end())
    for (const auto& [name, pod] : found->second) pods.push_back(pod);
  return pods;
}

std::vector<ObjectPtr> JobPodIndex::failed(const Json& job, int index) const {
  std::vector<ObjectPtr> pods;
  const auto found = failed_.find(uid_of(job));
  if (found == failed_.end()) return pods;
  const std::set<std::pair<int, std::string>>& all = found->second;
  for (auto it = all.lower_bound({index, ""}); it != all.end() && it->first == index; ++it)
    if (ObjectPtr pod = store_.get(kinds::pod, namespace_of(job), it->second);
        pod && controller_uid(*pod) == uid_of(job))
      pods.push_back(std::move(pod));
  return pods;
}

}  // namespace kml::local
