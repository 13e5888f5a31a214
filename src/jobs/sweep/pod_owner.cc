#include "jobs/sweep/pod_owner.h"

namespace kml::jobs {

bool may_own(const Json& job, const Json& pod) {
  for (const Json& owner : array_at(pod, {"metadata", "ownerReferences"})) {
    if (!bool_at(owner, {"controller"})) continue;
    if (string_at(owner, {"uid"}) == string_at(job, {"metadata", "uid"})) return true;
    if (string_at(owner, {"kind"}) == string_at(job, {"kind"})) return false;
  }
  // RFC 3339 in UTC: their order is that of their text.
  return string_at(pod, {"metadata", "creationTimestamp"}) >=
         string_at(job, {"metadata", "creationTimestamp"});
}

}  // namespace kml::jobs
