#include "job/why/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kml/base/text.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

Cause pending_claim(const Facts& facts, const Json& claim) {
  const std::string name = api::name_of(claim), storage = string_at(claim, {"spec", "storageClassName"});
  const std::string size = string_at(claim, {"spec", "resources", "requests", "storage"});
  Cause cause =
      make_cause(CauseCode::volume_pending, "volume claim " + name + " is not bound",
                 fmt::format("volume claim {} ({}{}) is not bound to a volume", name, size,
                             storage.empty() ? ", no storage class" : ", storage class " + storage));
  constexpr std::array<std::string_view, 3> kSays = {"ProvisioningFailed", "FailedBinding",
                                                     "ExternalProvisioning"};
  if (const Json* event = newest_event(facts, claim, kSays)) cause.summary += ": " + api::message_of(*event);
  cause.remedies = {{"see its state, or mount another one",
                     fmt::format("kml list claims -n {}", api::namespace_of(claim))}};
  return cause;
}

/// A claim that a pod mounts.
struct MountedClaim {
  std::string name;
  const Json* object;  ///< nullptr if it does not exist
};

std::vector<MountedClaim> claims_of(const std::vector<Json>& all, const Json& pod) {
  std::vector<MountedClaim> claims;
  for (const Json& volume : api::volumes_in(api::spec_of(pod))) {
    std::string name = api::claim_name_of(volume);
    if (find(volume, {"ephemeral"})) name = api::name_of(pod) + "-" + api::entry_name(volume);
    if (name.empty()) continue;
    const auto claim =
        std::find_if(all.begin(), all.end(), [&](const Json& one) { return api::name_of(one) == name; });
    claims.push_back({std::move(name), claim == all.end() ? nullptr : &*claim});
  }
  return claims;
}

bool is_bound(const MountedClaim& claim) {
  return claim.object && api::phase_of(*claim.object) == "Bound";
}

Cause tried_again(const std::string& why) {
  return make_cause(CauseCode::scheduling, "starting", why + "; the scheduler tries again by itself");
}

/// The cause of a pod whose claim was missing or was being deleted, judging by its claims as they are now:
/// the scheduler's message may be older. `said` is the cause by the message.
Cause as_they_are_now(const Facts& facts, const Json& pod, Cause said) {
  const std::vector<MountedClaim> claims = claims_of(*facts.claims, pod);
  if (claims.empty()) return said;
  const std::string where = api::namespace_of(pod);
  for (const MountedClaim& claim : claims) {
    if (!claim.object)
      return *missing_object(fmt::format("persistentvolumeclaim \"{}\" not found", claim.name), where);
    const auto since = api::time_at(*claim.object, {"metadata", "deletionTimestamp"});
    if (!since) continue;
    Cause cause =
        *missing_object(fmt::format("persistentvolumeclaim \"{}\" is being deleted", claim.name), where);
    cause.summary = fmt::format(
        "volume claim {} of namespace {} is being deleted since {} ({}), and stays until "
        "no pod mounts it",
        claim.name, where, rfc3339(*since), short_duration(facts.now - *since));
    return cause;
  }
  return tried_again(claims.size() == 1 ? "its volume claim exists now" : "its volume claims exist now");
}

}  // namespace

std::optional<Cause> volume_cause(const Facts& facts, const Json& pod, const std::string& message) {
  std::optional<Cause> cause = missing_object(message, api::namespace_of(pod));
  if (cause && cause->code == CauseCode::volume_missing && facts.claims) {
    cause = as_they_are_now(facts, pod, std::move(*cause));
    cause->message = message;
  }
  const bool is_unbound = message.find("unbound immediate") != std::string::npos;
  if (cause || !is_unbound) return cause;
  cause = make_cause(CauseCode::volume_pending, "a volume claim is not bound",
                     "a volume claim that it mounts is not bound");
  if (facts.claims) {
    const std::vector<MountedClaim> claims = claims_of(*facts.claims, pod);
    const auto open = std::find_if_not(claims.begin(), claims.end(), is_bound);
    if (open == claims.end())
      cause = tried_again("its volume claims are bound now");
    else if (open->object)
      cause = pending_claim(facts, *open->object);
  }
  cause->message = message;
  return cause;
}

}  // namespace kml::job
