#include "local/quota/quotas.h"

#include <fmt/format.h>

#include "kml/core/text.h"
#include "local/api/api_error.h"
#include "local/store/kinds.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

/// Adds or takes away what the object takes of what the quota limits.
void charge(Amounts& used, const Amounts& hard, const Amounts& usage, int sign) {
  for (const auto& [name, amount] : usage)
    if (hard.contains(name)) used[name] += sign * amount;
}

/// "pods=1,requests.cpu=2"
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
