#include "job/capacity/kueue_api.h"

#include "kml/kube/objects/object.h"

namespace kml::job {

std::string preferred_version(kube::Client& client, const std::string& group) {
  const std::string path = "/apis/" + group;
  return preferred_version(parse_json(client.get_raw(path), path));
}

bool has_given_up(const Json& workload) {
  const api::Condition requeued = api::condition(workload, "Requeued");
  return requeued.is_false() && requeued.reason().starts_with("DeactivatedDueTo");
}

bool holds_quota(const Json& workload) {
  return api::condition_is_true(workload, "QuotaReserved") && !api::condition_is_true(workload, "Finished");
}

KueueApi::KueueApi(kube::Client& client) : version_(preferred_version(client, "kueue.x-k8s.io")) {}

}  // namespace kml::job
