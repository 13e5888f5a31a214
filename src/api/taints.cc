#include "kml/api/taints.h"

#include <algorithm>

namespace kml::api {

namespace {

bool matches(const Json& toleration, const Json& taint) {
  const std::string effect = string_at(toleration, {"effect"}), key = string_at(toleration, {"key"});
  if (!effect.empty() && effect != string_at(taint, {"effect"})) return false;
  if (!key.empty() && key != string_at(taint, {"key"})) return false;
  const std::string op = string_at(toleration, {"operator"});
  if (op == "Exists") return true;
  return (op.empty() || op == "Equal") && string_at(toleration, {"value"}) == string_at(taint, {"value"});
}

}  // namespace

bool tolerates(const Json& pod_spec, const Json& taint) {
  const Json& tolerations = array_at(pod_spec, {"tolerations"});
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Json& toleration) { return matches(toleration, taint); });
}

bool keeps_pods_off(const Json& taint) {
  const std::string effect = string_at(taint, {"effect"});
  return effect == "NoSchedule" || effect == "NoExecute";
}

std::string taint_text(const Json& taint) {
  const std::string value = string_at(taint, {"value"});
  return string_at(taint, {"key"}) + (value.empty() ? "" : "=" + value) + ":" + string_at(taint, {"effect"});
}

bool is_cordoned(const Json& node) {
  return bool_at(node, {"spec", "unschedulable"});
}

bool is_cordoned_for(const Json& node, const Json& pod_spec) {
  static const Json kCordon = {{"key", "node.kubernetes.io/unschedulable"}, {"effect", "NoSchedule"}};
  return is_cordoned(node) && !tolerates(pod_spec, kCordon);
}

}  // namespace kml::api
