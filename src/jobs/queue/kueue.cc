#include "jobs/queue/kueue.h"

#include "kml/api/object_name.h"
#include "kml/jobs/pod_view.h"

namespace kml::jobs {

std::string owner_of_workload(const Json& workload) {
  for (const Json& owner : array_at(workload, {"metadata", "ownerReferences"}))
    if (bool_at(owner, {"controller"}))
      return api::namespace_of(workload) + "/" + string_at(owner, {"kind"}) + "/" +
             string_at(owner, {"name"});
  return {};
}

bool is_admitted(const Json& workload) {
  return condition_is_true(workload, "Admitted");
}

Time order_of_workload(const Json& workload) {
  if (const Json* evicted = condition(workload, "Evicted");
      evicted && string_at(*evicted, {"status"}) == "True") {
    const std::string reason = string_at(*evicted, {"reason"});
    if (reason == "PodsReadyTimeout" || reason == "AdmissionCheck")
      if (const auto time = time_at(*evicted, {"lastTransitionTime"})) return *time;
  }
  return time_at(workload, {"metadata", "creationTimestamp"}).value_or(Time());
}

}  // namespace kml::jobs
