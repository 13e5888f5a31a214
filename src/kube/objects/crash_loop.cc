#include "kml/kube/objects/crash_loop.h"

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::api {

bool is_in_crash_loop(const Json& pod, const Json& status) {
  if (waiting_reason(status) == "CrashLoopBackOff") return true;
  const Json* ended = terminated_in(status);
  return ended && exit_code_of(*ended) != 0 && restart_count(status) > 0 && !pod_has_ended(pod) &&
         !is_being_deleted(pod) && restart_policy_in(spec_of(pod), "Always") != "Never";
}

long long crashes_of(const Json& pod, const Json& status) {
  const Json* last = last_crash(status);
  if (last && exit_code_of(*last) == 0) return 0;
  return restart_count(status) + (is_in_crash_loop(pod, status) ? 1 : 0);
}

const Json* last_crash(const Json& status) {
  const Json* ended = terminated_in(status);
  return ended ? ended : last_terminated_in(status);
}

}  // namespace kml::api
