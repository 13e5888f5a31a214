#include "jobs/queue/kueue.h"

#include "kml/api/condition.h"
#include "kml/api/object.h"

namespace kml::jobs {

std::string owner_of_workload(const Json& workload) {
  const Json* owner = api::controller_of(workload);
  return owner
             ? api::namespace_of(workload) + "/" + api::kind_name(*owner) + "/" + string_at(*owner, {"name"})
             : "";
}

bool is_admitted(const Json& workload) {
  return api::condition_is_true(workload, "Admitted");
}

Time order_of_workload(const Json& workload) {
  if (const api::Condition evicted = api::condition(workload, "Evicted"); evicted.is_true()) {
    const std::string reason = evicted.reason();
    if (reason == "PodsReadyTimeout" || reason == "AdmissionCheck")
      if (const auto time = evicted.since()) return *time;
  }
  return api::created_at(workload).value_or(Time());
}

}  // namespace kml::jobs
