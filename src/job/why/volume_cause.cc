#include "job/why/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

/// The claims that the pod mounts, with null for each claim that does not exist.
std::vector<const Json*> claims_of(const std::vector<Json>& all, const Json& pod) {
  std::vector<const Json*> claims;
  for (const Json& volume : api::volumes_in(api::spec_of(pod))) {
    std::string name = api::claim_name_of(volume);
    if (find(volume, {"ephemeral"})) name = api::name_of(pod) + "-" + api::entry_name(volume);
    if (name.empty()) continue;
    const auto claim =
        std::find_if(all.begin(), all.end(), [&](const Json& one) { return api::name_of(one) == name; });
    claims.push_back(claim == all.end() ? nullptr : &*claim);
  }
  return claims;
}

bool is_bound(const Json* claim) {
  return claim && api::phase_of(*claim) == "Bound";
}

}  // namespace

std::optional<Cause> volume_cause(const Facts& facts, const Json& pod, const std::string& message) {
  std::optional<Cause> cause = missing_object(message, api::namespace_of(pod));
  const bool is_unbound = message.find("unbound immediate") != std::string::npos;
  if (cause || !is_unbound) return cause;
  cause = make_cause(CauseCode::volume_pending, "a volume claim is not bound",
                     "a volume claim that it mounts is not bound");
  if (facts.claims) {
    const std::vector<const Json*> claims = claims_of(*facts.claims, pod);
    const auto open = std::find_if_not(claims.begin(), claims.end(), is_bound);
    if (open == claims.end())
      cause = make_cause(CauseCode::scheduling, "starting",
                         "its volume claims are bound now; the scheduler tries again by itself");
    else if (*open)
      cause = pending_claim(facts, **open);
  }
  cause->message = message;
  return cause;
}

}  // namespace kml::job
