#include <fmt/format.h>

#include "kml/base/text.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

// As in printers.go: printDeployment and printReplicaSet.

namespace {

std::string from_template(const Json& object, const char* field) {
  std::vector<std::string> values;
  for (const Json& container : api::containers_in(api::pod_spec_of(object)))
    values.push_back(string_at(container, {field}));
  return join(values, ",");
}

/// The selector as metav1.FormatLabelSelector prints it.
std::string selector_text(const Json& object) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : object_at(object, {"spec", "selector", "matchLabels"}).items())
    parts.push_back(key + "=" + value.get<std::string>());
  for (const Json& entry : array_at(object, {"spec", "selector", "matchExpressions"})) {
    const std::string key = string_at(entry, {"key"}), op = string_at(entry, {"operator"});
    std::vector<std::string> values;
    for (const Json& value : array_at(entry, {"values"})) values.push_back(value.get<std::string>());
    parts.push_back(op == "Exists"         ? key
                    : op == "DoesNotExist" ? "!" + key
                                           : fmt::format("{} {} ({})", key, lower(op), join(values, ",")));
  }
  return or_none(join(parts, ","));
}

}  // namespace

const TableColumns kDeploymentColumns{{{.name = "Name", .format = "name"},
                                       {"Ready"},
                                       {.name = "Up-to-date", .type = "integer"},
                                       {.name = "Available", .type = "integer"},
                                       {"Age"},
                                       {"Containers", true},
                                       {"Images", true},
                                       {"Selector", true}},
                                      [](const Json& deployment, Time now) {
                                        const Json& status = api::status_of(deployment);
                                        return Json{name_of(deployment),
                                                    fmt::format("{}/{}", int_at(status, {"readyReplicas"}),
                                                                int_at(deployment, {"spec", "replicas"})),
                                                    int_at(status, {"updatedReplicas"}),
                                                    int_at(status, {"availableReplicas"}),
                                                    age_of(deployment, now),
                                                    from_template(deployment, "name"),
                                                    from_template(deployment, "image"),
                                                    selector_text(deployment)};
                                      }};

const TableColumns kReplicaSetColumns{{{.name = "Name", .format = "name"},
                                       {.name = "Desired", .type = "integer"},
                                       {.name = "Current", .type = "integer"},
                                       {.name = "Ready", .type = "integer"},
                                       {"Age"},
                                       {"Containers", true},
                                       {"Images", true},
                                       {"Selector", true}},
                                      [](const Json& set, Time now) {
                                        const Json& status = api::status_of(set);
                                        return Json{name_of(set),
                                                    int_at(set, {"spec", "replicas"}),
                                                    int_at(status, {"replicas"}),
                                                    int_at(status, {"readyReplicas"}),
                                                    age_of(set, now),
                                                    from_template(set, "name"),
                                                    from_template(set, "image"),
                                                    selector_text(set)};
                                      }};

}  // namespace kml::local
