#include "job/why/facts.h"

#include <algorithm>

#include "kml/job/views/ownership.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

const Json* newest_event(const Facts& facts, const Json& object, std::span<const std::string_view> reasons) {
  const Json* newest = nullptr;
  const std::string uid = api::uid_of(object);
  if (!facts.events || uid.empty()) return nullptr;
  for (const Json& event : *facts.events)
    if (api::involved_uid(event) == uid &&
        std::find(reasons.begin(), reasons.end(), api::reason_of(event)) != reasons.end() &&
        (!newest || !api::is_earlier_event(event, *newest)))
      newest = &event;
  return newest;
}

bool is_own_pod(const Facts& facts, const Json& pod) {
  return has_pod(facts.job, pod) && api::namespace_of(pod) == api::namespace_of(facts.job);
}

}  // namespace kml::job
