#include "kml/jobs/first_error.h"
#include "kml/jobs/kinds.h"

namespace kml::jobs {

std::optional<Death> first_error_of(kube::Client& client, const Json& job) {
  std::vector<Json> pods;
  for (Json& pod : client
                       .list(*api::find_kind("v1", "Pod"), string_at(job, {"metadata", "namespace"}),
                             {.label_selector = pod_selector(job)})
                       .items)
    if (has_pod(job, pod)) pods.push_back(std::move(pod));
  const std::vector<Death> deaths = deaths_of(job, std::move(pods));
  const Death* first = died_first(deaths);
  return first ? std::optional(*first) : std::nullopt;
}

}  // namespace kml::jobs
