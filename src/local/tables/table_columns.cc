#include "local/tables/table_columns.h"

#include "kml/kube/objects/object.h"

namespace kml::local {

const TableColumns& columns_of(const api::ResourceKind& kind) {
  static const TableColumns other{
      {{.name = "Name", .format = "name"}, {.name = "Created At", .type = "date"}},
      [](const Json& object, Time) {
        return Json{api::name_of(object), api::creation_text(object)};
      }};
  const std::pair<std::string_view, const TableColumns&> kColumns[] = {
      {"Pod", kPodColumns},
      {"Job", kJobColumns},
      {"CronJob", kCronJobColumns},
      {"PyTorchJob", kPyTorchJobColumns},
      {"Deployment", kDeploymentColumns},
      {"ReplicaSet", kReplicaSetColumns},
      {"Node", kNodeColumns},
      {"Namespace", kNamespaceColumns},
      {"Event", kEventColumns},
      {"Secret", kSecretColumns},
      {"ConfigMap", kConfigMapColumns},
      {"Service", kServiceColumns},
      {"ServiceAccount", kServiceAccountColumns},
      {"PersistentVolumeClaim", kClaimColumns},
      {"PriorityClass", kPriorityClassColumns},
      {"ResourceQuota", kQuotaColumns},
  };
  for (const auto& [name, columns] : kColumns)
    if (kind.kind == name) return columns;
  return other;
}

std::string age_since(const std::string& time, Time now) {
  const auto then = parse_rfc3339(time);
  return then ? short_duration(now - *then) : "<unknown>";
}

std::string age_of(const Json& object, Time now) {
  return age_since(api::creation_text(object), now);
}

std::string or_none(const std::string& text) {
  return text.empty() ? "<none>" : text;
}

}  // namespace kml::local
