#include <fmt/format.h>

#include <algorithm>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

std::string ports_of(const Json& service) {
  std::vector<std::string> ports;
  for (const Json& port : array_at(service, {"spec", "ports"})) {
    // The port on this machine. A Service of the type ClusterIP has one, too, because its address is the
    // loopback address.
    const long long here = int_at(port, {"nodePort"});
    ports.push_back(fmt::format("{}{}/{}", int_at(port, {"port"}), here ? fmt::format(":{}", here) : "",
                                string_at(port, {"protocol"}, "TCP")));
  }
  return or_none(join(ports, ","));
}

std::string service_selector(const Json& service) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : object_at(service, {"spec", "selector"}).items())
    parts.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : ""));
  return or_none(join(parts, ","));
}

std::string claim_phase(const Json& claim) {
  return is_being_deleted(claim) ? "Terminating" : api::phase_of(claim, "");
}

}  // namespace

const TableColumns kNamespaceColumns{
    {{.name = "Name", .format = "name"}, {"Status"}, {"Age"}}, [](const Json& object, Time now) {
      return Json{name_of(object), api::phase_of(object, ""), age_of(object, now)};
    }};

const TableColumns kSecretColumns{{{.name = "Name", .format = "name"}, {"Type"}, {"Data"}, {"Age"}},
                                  [](const Json& secret, Time now) {
                                    return Json{name_of(secret), string_at(secret, {"type"}),
                                                api::data_of(secret).size(), age_of(secret, now)};
                                  }};

const TableColumns kConfigMapColumns{
    {{.name = "Name", .format = "name"}, {"Data"}, {"Age"}}, [](const Json& map, Time now) {
      return Json{name_of(map), api::data_of(map).size() + object_at(map, {"binaryData"}).size(),
                  age_of(map, now)};
    }};

const TableColumns kServiceColumns{{{.name = "Name", .format = "name"},
                                    {"Type"},
                                    {"Cluster-IP"},
                                    {"External-IP"},
                                    {"Port(s)"},
                                    {"Age"},
                                    {"Selector", true}},
                                   [](const Json& service, Time now) {
                                     return Json{name_of(service),
                                                 string_at(service, {"spec", "type"}),
                                                 or_none(string_at(service, {"spec", "clusterIP"})),
                                                 "<none>",
                                                 ports_of(service),
                                                 age_of(service, now),
                                                 service_selector(service)};
                                   }};

const TableColumns kServiceAccountColumns{
    {{.name = "Name", .format = "name"}, {"Secrets"}, {"Age"}}, [](const Json& account, Time now) {
      return Json{name_of(account), array_at(account, {"secrets"}).size(), age_of(account, now)};
    }};

const TableColumns kClaimColumns{{{.name = "Name", .format = "name"},
                                  {"Status"},
                                  {"Volume"},
                                  {"Capacity"},
                                  {"Access Modes"},
                                  {"StorageClass"},
                                  {"VolumeAttributesClass"},
                                  {"Age"},
                                  {"VolumeMode", true}},
                                 [](const Json& claim, Time now) {
                                   const auto text = [&](const char* field, const char* unset = "") {
                                     return string_at(claim, {"spec", field}, unset);
                                   };
                                   return Json{name_of(claim),
                                               claim_phase(claim),
                                               text("volumeName"),
                                               string_at(claim, {"status", "capacity", "storage"}),
                                               "",
                                               text("storageClassName"),
                                               text("volumeAttributesClassName", "<unset>"),
                                               age_of(claim, now),
                                               text("volumeMode", "<unset>")};
                                 }};

const TableColumns kPriorityClassColumns{
    {{.name = "Name", .format = "name"},
     {.name = "Value", .type = "integer"},
     {.name = "Global-Default", .type = "boolean"},
     {"Age"},
     {"PreemptionPolicy"}},
    [](const Json& priority_class, Time now) {
      return Json{name_of(priority_class), api::priority_value_of(priority_class),
                  bool_at(priority_class, {"globalDefault"}), age_of(priority_class, now),
                  string_at(priority_class, {"preemptionPolicy"})};
    }};

namespace {

/// Amounts used and allowed, such as "requests.cpu: 1/4". If `limits` is true, only the resources that start
/// with "limits."; otherwise all others.
std::string used_of(const Json& quota, bool limits) {
  std::vector<std::string> parts;
  for (const auto& [name, hard] : object_at(quota, {"status", "hard"}).items())
    if (name.starts_with("limits.") == limits)
      parts.push_back(fmt::format("{}: {}/{}", name, string_at(quota, {"status", "used", name}, "0"),
                                  hard.get<std::string>()));
  return join(parts, ", ");
}

}  // namespace

const TableColumns kQuotaColumns{
    {{.name = "Name", .format = "name"}, {"Request"}, {"Limit"}, {"Age"}}, [](const Json& quota, Time now) {
      return Json{name_of(quota), used_of(quota, false), used_of(quota, true), age_of(quota, now)};
    }};

namespace {

/// The text at the first existing path.
std::string first_text(const Json& object,
                       std::initializer_list<std::initializer_list<std::string_view>> paths) {
  for (const auto& path : paths)
    if (std::string text = string_at(object, path); !text.empty()) return text;
  return {};
}

std::string target_of(const Json& event) {
  const std::string kind = lower(api::involved_kind(event));
  const std::string name = api::involved_name(event);
  return name.empty() ? kind : kind + "/" + name;
}

std::string source_of(const Json& event) {
  const std::string component = first_text(event, {{"source", "component"}, {"reportingComponent"}});
  const std::string instance = first_text(event, {{"source", "host"}, {"reportingInstance"}});
  return instance.empty() ? component : component + ", " + instance;
}

Json event_cells(const Json& event, Time now) {
  const std::string first = first_text(event, {{"firstTimestamp"}, {"eventTime"}});
  const std::string last = first_text(
      event, {{"series", "lastObservedTime"}, {"lastTimestamp"}, {"firstTimestamp"}, {"eventTime"}});
  return {age_since(last, now),
          string_at(event, {"type"}),
          api::reason_of(event),
          target_of(event),
          string_at(event, {"involvedObject", "fieldPath"}),
          source_of(event),
          std::string(trim(api::message_of(event))),
          age_since(first, now),
          std::max<long long>(1, int_at(event, {"series", "count"}, int_at(event, {"count"}))),
          name_of(event)};
}

}  // namespace

const TableColumns kEventColumns{{{"Last Seen"},
                                  {"Type"},
                                  {"Reason"},
                                  {"Object"},
                                  {"Subobject", true},
                                  {"Source", true},
                                  {"Message"},
                                  {"First Seen", true},
                                  {"Count", true},
                                  {.name = "Name", .wide = true, .format = "name"}},
                                 event_cells};

}  // namespace kml::local
