#include "local/quota/quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quota.h"
#include "local/api/api_error.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

constexpr int64_t kOne = 1000;

}  // namespace

Amounts usage_of(const api::ResourceKind& kind, const Json& object) {
  const std::string plural(kind.plural);
  if (kind.kind == "Pod") return api::quota_usage_of_pod(object);
  Amounts usage{{"count/" + plural + (kind.group.empty() ? "" : ".") + std::string(kind.group), kOne}};
  if (kind.group.empty()) {
    usage[plural] = kOne;
    if (kind.kind == "PersistentVolumeClaim")
      usage["requests.storage"] = api::amounts_of(api::requests_of(api::spec_of(object)))["storage"];
  }
  return usage;
}

bool is_in_scope(const Json& quota, const api::ResourceKind& kind, const Json& object) {
  if (kind.kind == "Pod") return api::quota_counts(quota, object).value_or(false);
  return array_at(quota, {"spec", "scopes"}).empty() &&
         array_at(quota, {"spec", "scopeSelector", "matchExpressions"}).empty();
}

std::string missing_requests(const Amounts& hard, const Json& pod) {
  std::map<std::string, std::set<std::string>> missing;
  for (const char* list : {"containers", "initContainers"})
    for (const Json& container : api::containers_of(pod, list)) {
      Amounts given;
      api::add_quota_compute(given, api::amounts_of(api::requests_of(container)),
                             api::amounts_of(api::limits_of(container)));
      for (const char* name :
           {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"})
        if (hard.contains(name) && !given.contains(name)) missing[name].insert(api::entry_name(container));
    }
  std::vector<std::string> parts;
  for (const auto& [name, containers] : missing)
    parts.push_back(name + " for: " + join(std::vector(containers.begin(), containers.end()), ","));
  return parts.empty() ? "" : "must specify " + join(parts, "; ");
}

std::string amount_text(const std::string& name, int64_t thousandths) {
  if (thousandths % kOne != 0) return fmt::format("{}m", thousandths);
  int64_t amount = thousandths / kOne;
  const bool is_bytes = name.ends_with("memory") || name.ends_with("storage");
  const int64_t step = is_bytes && amount % 1024 == 0 ? 1024 : 1000;
  size_t steps = 0;
  for (; amount != 0 && amount % step == 0; ++steps) amount /= step;
  const std::string_view suffixes = step == 1024 ? " KMGTPE" : " kMGTPE";
  return steps == 0 ? std::to_string(amount)
                    : fmt::format("{}{}{}", amount, suffixes[steps], step == 1024 ? "i" : "");
}

namespace {

/// For the resources that the quota limits, adds the object's usage to `used`, or subtracts it if `sign` is
/// -1.
void charge(Amounts& used, const Amounts& hard, const Amounts& usage, int sign) {
  for (const auto& [name, amount] : usage)
    if (hard.contains(name)) used[name] += sign * amount;
}

/// Formats amounts: "pods=1,requests.cpu=2".
std::string list_text(const Amounts& amounts, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) parts.push_back(name + "=" + amount_text(name, amounts.at(name)));
  return join(parts, ",");
}

Json to_json(const Amounts& amounts) {
  Json list = Json::object();
  for (const auto& [name, amount] : amounts) list[name] = amount_text(name, amount);
  return list;
}

}  // namespace

Quotas::Quotas(Store& store) : store_(store) {
  for (const ObjectPtr& quota : store.list(kinds::quota, "")) count_all(quota);
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void Quotas::on_event(const StoreEvent& event) {
  if (event.kind == &kinds::quota) {
    if (event.change == Change::deleted)
      by_namespace_[namespace_of(*event.object)].erase(name_of(*event.object));
    else if (!event.previous || (*event.previous)["spec"] != (*event.object)["spec"])
      count_all(event.object);
  }
  auto found = by_namespace_.find(namespace_of(*event.object));
  if (found == by_namespace_.end()) return;
  for (auto& [name, quota] : found->second) {
    if (event.revision <= quota.counted_to) continue;
    if (event.previous && is_in_scope(*quota.object, *event.kind, *event.previous))
      charge(quota.used, quota.hard, usage_of(*event.kind, *event.previous), -1);
    if (event.change != Change::deleted && is_in_scope(*quota.object, *event.kind, *event.object))
      charge(quota.used, quota.hard, usage_of(*event.kind, *event.object), +1);
  }
}

void Quotas::count_all(const ObjectPtr& object) {
  Quota quota{object, api::amounts_of(object_at(*object, {"spec", "hard"})), {}, store_.revision()};
  for (const auto& [name, amount] : quota.hard) quota.used[name] = 0;
  const std::string namespace_name = namespace_of(*object);
  for (const api::ResourceKind& kind : api::known_kinds()) {
    if (!kind.namespaced) continue;
    for (const ObjectPtr& counted : store_.list(kind, namespace_name))
      if (is_in_scope(*object, kind, *counted)) charge(quota.used, quota.hard, usage_of(kind, *counted), +1);
  }
  by_namespace_[namespace_name][name_of(*object)] = std::move(quota);
}

void Quotas::check(const api::ResourceKind& kind, const Json& object) const {
  const auto found = by_namespace_.find(namespace_of(object));
  if (found == by_namespace_.end()) return;
  const Amounts usage = usage_of(kind, object);
  for (const auto& [name, quota] : found->second) {
    if (!is_in_scope(*quota.object, kind, object)) continue;
    const std::string missing = kind.kind == "Pod" ? missing_requests(quota.hard, object) : "";
    if (!missing.empty())
      throw forbidden(kind, name_of(object), fmt::format("failed quota: {}: {}", name, missing));
    std::vector<std::string> exceeded;
    for (const auto& [resource, amount] : usage)
      if (auto limit = quota.hard.find(resource);
          limit != quota.hard.end() && quota.used.at(resource) + amount > limit->second)
        exceeded.push_back(resource);
    if (!exceeded.empty())
      throw forbidden(kind, name_of(object),
                      fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", name,
                                  list_text(usage, exceeded), list_text(quota.used, exceeded),
                                  list_text(quota.hard, exceeded)));
  }
}

Json Quotas::status_of(const std::string& namespace_name, const std::string& name) const {
  const auto found = by_namespace_.find(namespace_name);
  if (found == by_namespace_.end() || !found->second.contains(name)) return nullptr;
  const Quota& quota = found->second.at(name);
  return {{"hard", to_json(quota.hard)}, {"used", to_json(quota.used)}};
}

}  // namespace kml::local
