#include "local/routes/routes.h"

#include <fmt/format.h>

#include <set>

#include "kml/base/text.h"
#include "kml/kube/objects/field_types.h"
#include "kml/kube/objects/resource.h"
#include "local/api/api_path.h"
#include "local/routes/scale.h"
#include "local/routes/writes.h"

namespace kml::local {

namespace {

using GroupVersion = std::pair<std::string_view, std::string_view>;

std::set<GroupVersion> served_groups() {
  std::set<GroupVersion> groups;
  for (const api::ResourceKind& kind : api::known_kinds())
    if (is_served(kind)) groups.emplace(kind.group, kind.version);
  groups.emplace(kMetricsGroup, kMetricsVersion);
  return groups;
}

std::string api_version(const GroupVersion& group) {
  return group.first.empty() ? std::string(group.second) : fmt::format("{}/{}", group.first, group.second);
}

/// "api/v1", "apis/batch/v1".
std::string root_of(const GroupVersion& group) {
  return (group.first.empty() ? "api/" : "apis/") + api_version(group);
}

/// The version of the API that this server follows. Clients ignore the part after "+" when they compare.
Json version() {
  constexpr std::string_view kVersion = api::kFieldsVersion;
  return {{"major", kVersion.substr(0, kVersion.find('.'))},
          {"minor", kVersion.substr(kVersion.find('.') + 1)},
          {"gitVersion", fmt::format("v{}.0+kml", kVersion)},
          {"gitCommit", ""},
          {"gitTreeState", ""},
          {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", "none"},
          {"compiler", "gcc"},
          {"platform", "linux/amd64"}};
}

Json group_document(const GroupVersion& group) {
  const Json version = {{"groupVersion", api_version(group)}, {"version", group.second}};
  return {{"kind", "APIGroup"},
          {"apiVersion", "v1"},
          {"name", group.first},
          {"versions", Json::array({version})},
          {"preferredVersion", version}};
}

Json groups_document() {
  Json groups = Json::array();
  for (const GroupVersion& group : served_groups())
    if (!group.first.empty()) groups.push_back(group_document(group));
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

Json verbs_of(const api::ResourceKind& kind) {
  Json verbs = {"get", "list", "patch", "update", "watch"};
  if (kind.kind != "Node") verbs.insert(verbs.end(), {"create", "delete", "deletecollection"});
  return verbs;
}

Json resources_document(const GroupVersion& group) {
  Json resources = Json::array();
  for (const api::ResourceKind& kind : api::known_kinds()) {
    if (!is_served(kind) || GroupVersion(kind.group, kind.version) != group) continue;
    const Json common = {{"namespaced", kind.namespaced}, {"kind", kind.kind}};
    auto add = [&](const std::string& name, Json verbs) -> Json& {
      resources.push_back(common);
      resources.back().update({{"name", name}, {"singularName", ""}, {"verbs", std::move(verbs)}});
      return resources.back();
    };
    const std::string plural(kind.plural);
    Json& resource = add(plural, verbs_of(kind));
    resource["singularName"] = kind.singular;
    if (!kind.short_name.empty()) resource["shortNames"] = {kind.short_name};
    if (kind.kind == "Pod" || kind.kind == "Job" || kind.kind == "CronJob" || kind.kind == "PyTorchJob" ||
        kind.kind == "Service" || has_scale(kind))
      resource["categories"] = {"all"};
    if (has_status(kind)) add(plural + "/status", {"get", "patch", "update"});
    if (kind.kind == "Pod") add(plural + "/log", {"get"});
    if (has_scale(kind))
      add(plural + "/scale", {"get", "patch", "update"})
          .update({{"group", "autoscaling"}, {"version", "v1"}, {"kind", "Scale"}});
  }
  if (group.first == kMetricsGroup)
    for (const auto& [name, kind] : {std::pair("nodes", "NodeMetrics"), std::pair("pods", "PodMetrics")})
      resources.push_back({{"name", name},
                           {"singularName", ""},
                           {"namespaced", std::string_view(name) == "pods"},
                           {"kind", kind},
                           {"verbs", {"get", "list"}}});
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", api_version(group)},
          {"resources", std::move(resources)}};
}

Json openapi_root() {
  Json paths = Json::object();
  for (const GroupVersion& group : served_groups())
    paths[root_of(group)] = {{"serverRelativeURL", "/openapi/v3/" + root_of(group)}};
  return {{"paths", std::move(paths)}};
}

/// The document has no schemas. It only says that each kind's PATCH supports fieldValidation. kubectl checks
/// this before it sends a manifest, and then leaves the validation to the server.
Json openapi_document(const GroupVersion& group) {
  Json paths = Json::object();
  for (const api::ResourceKind& kind : api::known_kinds()) {
    if (!is_served(kind) || GroupVersion(kind.group, kind.version) != group) continue;
    const std::string path = fmt::format("/{}/{}{}/{{name}}", root_of(group),
                                         kind.namespaced ? "namespaces/{namespace}/" : "", kind.plural);
    const Json parameter = {{"name", "fieldValidation"}, {"in", "query"}, {"schema", {{"type", "string"}}}};
    paths[path]["patch"] = {{"parameters", Json::array({parameter})},
                            {"responses", Json::object()},
                            {"x-kubernetes-action", "patch"},
                            {"x-kubernetes-group-version-kind",
                             {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}}}};
  }
  return {{"openapi", "3.0.0"},
          {"info", {{"title", "kml local"}, {"version", "v1"}}},
          {"paths", std::move(paths)}};
}

}  // namespace

std::optional<Json> discovery_document(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/version") return version();
  if (path == "/api")
    return Json{{"kind", "APIVersions"}, {"versions", {"v1"}}, {"serverAddressByClientCIDRs", Json::array()}};
  if (path == "/apis") return groups_document();
  if (path == "/openapi/v3") return openapi_root();
  for (const GroupVersion& group : served_groups()) {
    if (path == "/" + root_of(group)) return resources_document(group);
    if (path == "/openapi/v3/" + root_of(group)) return openapi_document(group);
    if (!group.first.empty() && path == fmt::format("/apis/{}", group.first)) return group_document(group);
  }
  return std::nullopt;
}

}  // namespace kml::local
