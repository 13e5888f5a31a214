#include "jobs/sweep/pod_owner.h"

#include "kml/api/object.h"

namespace kml::jobs {

bool may_own(const Json& job, const Json& pod) {
  for (const Json& owner : api::owners_of(pod)) {
    if (!bool_at(owner, {"controller"})) continue;
    if (string_at(owner, {"uid"}) == api::uid_of(job)) return true;
    if (api::kind_name(owner) == api::kind_name(job)) return false;
  }
  // RFC 3339 in UTC: their order is that of their text.
  return api::creation_text(pod) >= api::creation_text(job);
}

}  // namespace kml::jobs
