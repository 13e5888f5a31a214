#include "job/preflight/pod_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "job/capacity/limit_ranges.h"
#include "job/preflight/limit_range.h"
#include "job/why/causes.h"
#include "job/why/quota_room.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// What the quota requires every container to set, and a container does not, in the words of the server
/// (k8s.io/kubernetes/pkg/quota/v1/evaluator/core/pods.go); empty if nothing is missing.
std::string unset_for(const Json& quota, const Json& pod_spec) {
  constexpr std::array<std::string_view, 6> kCompute = {
      "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};
  std::vector<std::string> unset;
  for (const auto& [field, amount] : object_at(quota, {"spec", "hard"}).items()) {
    if (std::ranges::find(kCompute, field) == kCompute.end()) continue;
    const bool is_limit = field.starts_with("limits.");
    const std::string resource = field.substr(field.find('.') + 1);  // npos + 1 is 0
    std::vector<std::string> names;
    for (const char* list : {"containers", "initContainers"})
      for (const Json& container : api::containers_in(pod_spec, list))
        if (!(is_limit ? api::limits_of(container) : api::requests_of(container)).contains(resource))
          names.push_back(api::entry_name(container));
    if (!names.empty()) unset.push_back(field + " for: " + join(names, ","));
  }
  return unset.empty()
             ? ""
             : fmt::format("failed quota: {}: must specify {}", api::name_of(quota), join(unset, "; "));
}

}  // namespace

std::optional<Cause> never_allowed(const Json& job, const std::vector<Json>& limit_ranges,
                                   const std::vector<Json>& quotas) {
  Json admitted = job;
  std::string refusal;
  each_pod_template(admitted, [&](Json& pod, int) {
    pod["spec"] = with_range_defaults(api::spec_of(pod), limit_ranges);
    if (refusal.empty()) refusal = refusal_of_ranges(pod["spec"], limit_ranges);
    for (const Json& quota : quotas)
      if (refusal.empty() && counts_in_quota(quota, pod).value_or(false))
        refusal = unset_for(quota, pod["spec"]);
  });
  Facts facts{.job = admitted};
  facts.quotas = quotas;
  if (!refusal.empty()) return cause_of_refusal(facts, refusal);
  std::optional<Cause> quota = refused_by_quota(facts);
  return quota && quota->outlook == Outlook::never ? quota : std::nullopt;
}

PodLimits::PodLimits(kube::Client& client, const std::vector<Json>& objects)
    : client_(client), objects_(objects), questions_(client.transport()) {
  constexpr size_t kMostPlaces = 3;
  for (const Json& object : objects) {
    const std::string name = api::namespace_of(object);
    const bool is_known = std::ranges::find(places_, name, &Place::name) != places_.end();
    if (!is_job(object) || is_known || places_.size() == kMostPlaces) continue;
    Place& place = places_.emplace_back(Place{name});
    ask(kLimitRange, name, place.limit_ranges);
    ask(*api::find_kind("v1", "ResourceQuota"), name, place.quotas);
  }
}

void PodLimits::ask(const api::ResourceKind& kind, const std::string& place, std::vector<Json>& items) {
  if (client_.absent_kinds().has_no_objects(kind, place)) return;
  // from the server's cache, which is faster
  questions_.ask(kind.path(place) + "?resourceVersion=0",
                 [=, &kind, &items, this](const Questions::Answer& answer) {
                   const Json list = Json::parse(answer.body, nullptr, false);
                   if (answer.status != 200 || !list.is_object()) return;
                   for (const Json& item : api::items_of(list)) items.push_back(item);
                   if (items.empty()) client_.absent_kinds().add_no_objects(kind, place);
                 });
}

std::vector<std::string> PodLimits::notes() {
  constexpr std::chrono::milliseconds kMoment{300};
  constexpr size_t kMostNotes = 3;
  questions_.wait(kMoment);
  std::vector<std::string> found;
  for (const Json& object : objects_) {
    const auto place = std::ranges::find(places_, api::namespace_of(object), &Place::name);
    if (!is_job(object) || place == places_.end()) continue;
    const auto cause = never_allowed(object, place->limit_ranges, place->quotas);
    if (!cause) continue;
    found.push_back(
        fmt::format("job {} cannot get all of its pods: {}", api::name_of(object), cause->summary));
    if (!cause->remedies.empty()) found.back() += "; " + in_words(cause->remedies[0]);
    if (found.size() == kMostNotes) break;
  }
  return found;
}

}  // namespace kml::job
