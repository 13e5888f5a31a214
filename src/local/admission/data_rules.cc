#include <algorithm>
#include <cctype>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"
#include "local/admission/kind_rules.h"

namespace kml::local {

namespace {

constexpr size_t kMaxData = 1 << 20;

size_t decoded_size(const std::string& text) {
  return text.size() / 4 * 3 - static_cast<size_t>(std::count(text.begin(), text.end(), '='));
}

void validate_keys(const Json& object, const char* field, bool is_base64, FieldErrors& errors) {
  size_t size = 0;
  for (const auto& [key, value] : object_at(object, {field}).items()) {
    const bool valid = !key.empty() && key.size() <= 253 && key != "." && key != ".." &&
                       std::all_of(key.begin(), key.end(), [](unsigned char c) {
                         return std::isalnum(c) || c == '-' || c == '_' || c == '.';
                       });
    if (!valid)
      errors.invalid(std::string(field) + "[" + key + "]", key,
                     "a valid config key must consist of alphanumeric characters, '-', '_' or '.'");
    if (value.is_string())
      size += is_base64 ? decoded_size(value) : value.get_ref<const std::string&>().size();
  }
  if (size > kMaxData) errors.too_long(field, kMaxData);
}

void validate_data_change(const Json& next, const Json& current, FieldErrors& errors) {
  const auto is_immutable = [](const Json& object) { return bool_at(object, {"immutable"}); };
  if (!is_immutable(current)) return;
  for (const char* field : {"data", "binaryData"})
    if (next.value(field, Json::object()) != current.value(field, Json::object()))
      errors.forbidden(field, "field is immutable when `immutable` is set");
  if (!is_immutable(next)) errors.forbidden("immutable", "field is immutable when `immutable` is set");
}

}  // namespace

const KindRules kSecretRules{
    [](Json& secret) {
      for (const auto& [key, value] : object_at(secret, {"stringData"}).items())
        if (value.is_string()) secret["data"][key] = base64_encoded(value.get_ref<const std::string&>());
      secret.erase("stringData");
      set_default(secret, "type", "Opaque");
    },
    [](const Json& secret, FieldErrors& errors) { validate_keys(secret, "data", true, errors); },
    [](const Json& next, const Json& current, FieldErrors& errors) {
      if (next["type"] != current["type"]) errors.immutable("type", next["type"]);
      validate_data_change(next, current, errors);
    },
};

const KindRules kConfigMapRules{
    [](Json&) {},
    [](const Json& map, FieldErrors& errors) {
      validate_keys(map, "data", false, errors);
      validate_keys(map, "binaryData", true, errors);
    },
    validate_data_change,
};

const KindRules kClaimRules{
    [](Json& claim) {
      set_default(claim, "spec", Json::object());
      Json& spec = claim["spec"];
      set_default(spec, "volumeMode", "Filesystem");
      if (spec.contains("resources")) quantities_to_text(spec["resources"]);
      // The server creates the claim's folder when a pod first mounts the claim, so the claim is bound at
      // once.
      set_default(claim, "status",
                  Json{{"phase", "Bound"},
                       {"accessModes", array_at(spec, {"accessModes"})},
                       {"capacity", object_at(spec, {"resources", "requests"})}});
    },
    [](const Json& claim, FieldErrors& errors) {
      const Json& modes = array_at(claim, {"spec", "accessModes"});
      if (modes.empty()) errors.required("spec.accessModes", "at least 1 access mode is required");
      for (const Json& mode : modes)
        errors.require_one_of("spec.accessModes", mode,
                              {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
      const Json* storage = find(claim, {"spec", "resources", "requests", "storage"});
      if (!storage) return errors.required("spec.resources[storage]");
      const auto size = api::quantity_milli(storage->get_ref<const std::string&>());
      if (!size || *size <= 0)
        errors.invalid("spec.resources[storage]", *storage, "must be greater than zero");
    },
    [](const Json& next, const Json& current, FieldErrors& errors) {
      Json allowed = api::spec_of(current);
      if (const Json* resources = find(next, {"spec", "resources"})) allowed["resources"] = *resources;
      if (allowed != api::spec_of(next))
        errors.forbidden("spec",
                         "spec is immutable after creation except resources.requests and "
                         "volumeAttributesClassName for bound claims");
    },
};

const KindRules kPriorityClassRules{
    [](Json& priority_class) {
      set_default(priority_class, "value", 0);
      set_default(priority_class, "preemptionPolicy", "PreemptLowerPriority");
    },
    [](const Json& priority_class, FieldErrors& errors) {
      constexpr int64_t kHighest = 1'000'000'000;
      if (api::name_of(priority_class).starts_with("system-"))
        errors.forbidden("metadata.name",
                         "priority class names with 'system-' prefix are reserved for system use only");
      if (api::priority_value_of(priority_class) > kHighest)
        errors.forbidden("value", "maximum allowed value of a user defined priority is 1000000000");
      errors.require_one_of("preemptionPolicy", priority_class.value("preemptionPolicy", Json()),
                            {"Never", "PreemptLowerPriority"});
    },
    [](const Json& next, const Json& current, FieldErrors& errors) {
      for (const char* field : {"value", "preemptionPolicy"})
        if (next.value(field, Json()) != current.value(field, Json()))
          errors.forbidden(field, "may not be changed in an update.");
    },
};

}  // namespace kml::local
