#include <fmt/format.h>

#include "kml/core/text.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

std::string ports_of(const Json& service) {
  std::vector<std::string> ports;
  for (const Json& port : array_at(service, {"spec", "ports"}))
    ports.push_back(fmt::format("{}/{}", int_at(port, {"port"}), string_at(port, {"protocol"}, "TCP")));
  return or_none(join(ports, ","));
}

std::string service_selector(const Json& service) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : object_at(service, {"spec", "selector"}).items())
    parts.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : ""));
  return or_none(join(parts, ","));
}

std::string claim_phase(const Json& claim) {
  return is_being_deleted(claim) ? "Terminating" : string_at(claim, {"status", "phase"});
}

}  // namespace

const TableColumns kNamespaceColumns{
    {{.name = "Name", .format = "name"}, {"Status"}, {"Age"}}, [](const Json& object, Time now) {
      return Json{name_of(object), string_at(object, {"status", "phase"}), age_of(object, now)};
    }};

const TableColumns kSecretColumns{{{.name = "Name", .format = "name"}, {"Type"}, {"Data"}, {"Age"}},
                                  [](const Json& secret, Time now) {
                                    return Json{name_of(secret), string_at(secret, {"type"}),
                                                object_at(secret, {"data"}).size(), age_of(secret, now)};
                                  }};

const TableColumns kConfigMapColumns{
    {{.name = "Name", .format = "name"}, {"Data"}, {"Age"}}, [](const Json& map, Time now) {
      return Json{name_of(map), object_at(map, {"data"}).size() + object_at(map, {"binaryData"}).size(),
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
                                   return Json{
                                       name_of(claim),
                                       claim_phase(claim),
                                       string_at(claim, {"spec", "volumeName"}),
                                       string_at(claim, {"status", "capacity", "storage"}),
                                       "",
                                       string_at(claim, {"spec", "storageClassName"}),
                                       string_at(claim, {"spec", "volumeAttributesClassName"}, "<unset>"),
                                       age_of(claim, now),
                                       string_at(claim, {"spec", "volumeMode"}, "<unset>")};
                                 }};

const TableColumns kPriorityClassColumns{
    {{.name = "Name", .format = "name"},
     {.name = "Value", .type = "integer"},
     {.name = "Global-Default", .type = "boolean"},
     {"Age"},
     {"PreemptionPolicy"}},
    [](const Json& priority_class, Time now) {
      return Json{name_of(priority_class), int_at(priority_class, {"value"}),
                  bool_at(priority_class, {"globalDefault"}), age_of(priority_class, now),
                  string_at(priority_class, {"preemptionPolicy"})};
    }};

}  // namespace kml::local
