#include <fmt/format.h>
#include <unistd.h>

#include "kml/kube/objects/field_types.h"
#include "local/admission/field_support.h"

namespace kml::local {

namespace {

/// Whether the value requests nothing: it is unset or empty, or asks for what this server does anyway.
bool asks_for_nothing(const Json& value, const FieldSupport& support) {
  if (value.is_null() || (value.is_structured() && value.empty())) return true;
  if (value.is_string() && value.get_ref<const std::string&>().empty()) return true;
  if (value.is_boolean()) return value.get<bool>() == (support.harmless == "true");
  if (value.is_object() && value.contains("type")) return value["type"] == "Unconfined";  // a profile
  return value.is_string() && value == support.harmless;
}

/// Whether the value is the user or group of the server itself. A pod can run as these even if the server is
/// not root.
bool is_own_id(const Json& value, const FieldSupport& support) {
  if (support.field.ends_with(".runAsUser")) return value == static_cast<int64_t>(::geteuid());
  return support.field.ends_with(".runAsGroup") && value == static_cast<int64_t>(::getegid());
}

struct Walker {
  bool is_root;
  std::vector<UnobeyedField> found;

  void walk(const std::string& path, const Json& value, std::string_view type) {
    const std::string_view inner = type.substr(1, type.size() - 2);
    if (type.size() == 1) return;
    if (type.front() == '[' && value.is_array())
      for (size_t i = 0; i < value.size(); ++i) walk(fmt::format("{}[{}]", path, i), value[i], inner);
    else if (type.front() == '{' && value.is_object())
      for (const auto& [key, item] : value.items()) walk(fmt::format("{}[{}]", path, key), item, inner);
    else if (value.is_object())
      for (const auto& [key, item] : value.items()) look_at(fmt::format("{}.{}", path, key), item, type, key);
  }

  void look_at(const std::string& path, const Json& value, std::string_view type, const std::string& field) {
    const FieldSupport* support = find_support(type, field);
    const std::string* inner = api::type_of_field(type, field);
    if (!support || !inner || support->support == Support::meaningless) return;
    if (support->support == Support::obeyed) return walk(path, value, *inner);
    if (asks_for_nothing(value, *support)) return;
    if (support->support == Support::needs_root && (is_root || is_own_id(value, *support))) return;
    found.push_back({path, *support});
  }
};

}  // namespace

std::vector<UnobeyedField> unobeyed_fields(std::string_view type, const Json& object, const std::string& path,
                                           bool is_root) {
  Walker walker{is_root, {}};
  walker.walk(path, object, type);
  return std::move(walker.found);
}

}  // namespace kml::local
