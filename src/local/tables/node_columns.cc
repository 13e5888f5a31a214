#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod_fit.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

std::string node_status(const Json& node) {
  const api::Condition ready = api::condition(node, "Ready");
  std::string status = !ready ? "Unknown" : ready.is_true() ? "Ready" : "NotReady";
  if (api::is_cordoned(node)) status += ",SchedulingDisabled";
  return status;
}

std::string roles_of(const Json& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const auto& [key, value] : api::labels_of(node).items())
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) roles.push_back(key.substr(kPrefix.size()));
  return or_none(join(roles, ","));
}

std::string address_of(const Json& node, std::string_view type) {
  for (const Json& address : array_at(node, {"status", "addresses"}))
    if (string_at(address, {"type"}) == type) return string_at(address, {"address"});
  return "<none>";
}

std::string info_of(const Json& node, const char* field) {
  return string_at(node, {"status", "nodeInfo", field}, "<unknown>");
}

}  // namespace

const TableColumns kNodeColumns{{{.name = "Name", .format = "name"},
                                 {"Status"},
                                 {"Roles"},
                                 {"Age"},
                                 {"Version"},
                                 {"Internal-IP", true},
                                 {"External-IP", true},
                                 {"OS-Image", true},
                                 {"Kernel-Version", true},
                                 {"Container-Runtime", true}},
                                [](const Json& node, Time now) {
                                  return Json{name_of(node),
                                              node_status(node),
                                              roles_of(node),
                                              age_of(node, now),
                                              string_at(node, {"status", "nodeInfo", "kubeletVersion"}),
                                              address_of(node, "InternalIP"),
                                              address_of(node, "ExternalIP"),
                                              info_of(node, "osImage"),
                                              info_of(node, "kernelVersion"),
                                              info_of(node, "containerRuntimeVersion")};
                                }};

}  // namespace kml::local
