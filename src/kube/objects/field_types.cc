#include "kml/kube/objects/field_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/quantity.h"
#include "kube/objects/field_table.h"
#include "kube/objects/field_values.h"

namespace kml::api {

namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

/// The types by name. In "Job : Object = spec JobSpec, …", Job has the fields after "=" and those of Object.
std::map<std::string, Fields, std::less<>> parse_types() {
  std::map<std::string, Fields, std::less<>> types;
  for (const std::string& line : split(field_table(), '\n')) {
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    std::string name = line.substr(0, equals);
    Fields fields;
    if (const size_t colon = name.find(" : "); colon != std::string::npos) {
      fields = types.at(name.substr(colon + 3));
      name.resize(colon);
    }
    for (const std::string& field : split(line.substr(equals + 3), ',')) {
      const std::string_view text = trim(field);
      const size_t space = text.find(' ');
      fields.emplace(text.substr(0, space), text.substr(space + 1));
    }
    types.emplace(std::move(name), std::move(fields));
  }
  return types;
}

const Fields* fields_of(std::string_view type) {
  static const auto types = parse_types();
  auto found = types.find(type);
  return found == types.end() ? nullptr : &found->second;
}

struct UnknownField {
  std::string path, name;
  const Fields& known;             ///< the fields of the type that contains this value
  std::vector<std::string> steps;  ///< see FieldFault::steps
};

std::string shown(const Json& value) {
  constexpr size_t kMost = 60;
  std::string text = compact_text(value);
  if (text.size() > kMost) text = text.substr(0, kMost) + "…";
  return text;
}

/// The problem, worded for the person who wrote the manifest. `wanted` is as in Checker::refuse().
std::string type_problem(const Json& value, std::string_view wanted) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (wanted == "a string" && value.is_primitive())
    return fmt::format("this must be a string: write \"{}\"", value.dump());
  if (wanted == "an integer" && kml::whole_number(text))
    return fmt::format("this must be a whole number: write {} without quotes", text);
  const std::string meant = wanted == "a quantity" ? quantity_meant(text) : "";
  const std::string_view words = wanted == "an integer"                       ? "a whole number"
                                 : wanted == "a map" || wanted == "an object" ? "a mapping"
                                 : wanted == "a quantity" ? "a quantity, such as 500m or 64Gi"
                                                          : wanted;
  return fmt::format("this must be {}, not {}{}", words, shown(value),
                     meant.empty() ? "" : "; did you mean " + meant + "?");
}

/// The text about the same problem, without the value, which may be secret.
std::string secretive_problem(const Json& value, std::string_view wanted) {
  if (wanted == "a string" && value.is_primitive()) return "this must be a string: put it in quotes";
  const std::string_view words = wanted == "a map" || wanted == "an object" ? "a mapping" : wanted;
  const std::string_view kind = value.is_array()    ? "a list"
                                : value.is_object() ? "a mapping"
                                : value.is_string() ? "a string"
                                                    : "a single value";
  return fmt::format("this must be {}, not {}", words, kind);
}

struct Checker {
  const ResourceKind* kind;         ///< null for a type that is only used in files
  std::vector<FieldFault>* faults;  ///< where to add wrong values; if null, the first one throws
  std::vector<UnknownField> unknown = {};
  std::vector<std::string> steps = {};

  void refuse(const std::string& path, const Json& value, std::string_view wanted) const {
    if (!kind) return faults->push_back({steps, path, secretive_problem(value, wanted), false});
    if (faults) return faults->push_back({steps, path, type_problem(value, wanted), false});
    throw Error(ErrorCode::usage,
                fmt::format("{} in version \"{}\" cannot be handled as a {}: {} must be {}, not {}",
                            kind->kind, kind->version, kind->kind, path, wanted, shown(value)));
  }

  static bool is_quantity(const Json& value) {
    return value.is_number() || (value.is_string() && quantity_milli(value.get_ref<const std::string&>()));
  }

  void check_scalar(const std::string& path, const Json& value, char type) const {
    if (type == 's' && !value.is_string()) refuse(path, value, "a string");
    if (type == 'i' && !value.is_number_integer()) refuse(path, value, "an integer");
    if (type == 'b' && !value.is_boolean()) refuse(path, value, "true or false");
    if (type == 'q' && !is_quantity(value)) refuse(path, value, "a quantity");
    if (type == 'y' && (!value.is_string() || !base64_decoded(value.get_ref<const std::string&>())))
      refuse(path, value, "base64");
    if (type == 'n' && !value.is_string() && !value.is_number_integer())
      refuse(path, value, "an integer or a string");
  }

  void check_item(const std::string& step, const std::string& path, const Json& value,
                  std::string_view type) {
    steps.push_back(step);
    check(path, value, type);
    steps.pop_back();
  }

  void check(const std::string& path, const Json& value, std::string_view type) {
    if (value.is_null() || type == "*") return;
    const std::string_view inner = type.substr(1, type.size() - 2);
    if (type.size() == 1) {
      check_scalar(path, value, type[0]);
    } else if (type.front() == '[') {
      if (!value.is_array()) return refuse(path, value, "a list");
      for (size_t i = 0; i < value.size(); ++i)
        check_item(std::to_string(i), fmt::format("{}[{}]", path, i), value[i], inner);
    } else if (type.front() == '{') {
      if (!value.is_object()) return refuse(path, value, "a map");
      for (const auto& [key, item] : value.items())
        check_item(key, fmt::format("{}[{}]", path, key), item, inner);
    } else {
      check_fields(path, value, type);
    }
  }

  /// Finds values and names of resources that Kubernetes does not know. A server would only find them later,
  /// when it validates the object.
  void check_values(const std::string& path, const Json& value, std::string_view type,
                    const std::string& field) {
    if (value.is_object())
      for (const auto& [name, amount] : value.items()) {
        std::vector<std::string> place = steps;
        place.push_back(name);
        if (std::string text = resource_problem(type, field, name); !text.empty())
          faults->push_back({std::move(place), path, std::move(text), true});
      }
    const std::vector<std::string>* known = values_of_field(type, field);
    if (!known || value.is_object()) return;
    const auto check_text = [&](const Json& text, std::vector<std::string> place) {
      const std::string word = text.is_string() ? text.get<std::string>() : "";
      if (word.empty() || std::find(known->begin(), known->end(), word) != known->end()) return;
      const auto meant = nearest(word, *known);
      faults->push_back({std::move(place), path,
                         fmt::format("\"{}\" is not one of this field's values{}", word,
                                     meant ? "; did you mean " + *meant + "?" : ": " + join(*known, ", ")),
                         false, true});
    };
    if (!value.is_array()) return check_text(value, steps);
    for (size_t i = 0; i < value.size(); ++i) {
      std::vector<std::string> place = steps;
      place.push_back(std::to_string(i));
      check_text(value[i], std::move(place));
    }
  }

  void check_fields(const std::string& path, const Json& value, std::string_view type) {
    const Fields& fields = *fields_of(type);
    if (!value.is_object()) return refuse(path.empty() ? "the object" : path, value, "an object");
    for (const auto& [key, item] : value.items()) {
      const std::string item_path = path.empty() ? key : path + "." + key;
      steps.push_back(key);
      if (auto field = fields.find(key); field == fields.end()) {
        unknown.push_back({item_path, key, fields, steps});
      } else {
        check(item_path, item, field->second);
        if (faults && kind) check_values(item_path, item, type, key);
      }
      steps.pop_back();
    }
  }
};

void prune(Json& value, std::string_view type, bool drop_empty) {
  const std::string_view inner = type.substr(1, type.size() - 2);
  if (type.size() == 1) return;
  if (type.front() == '[' || type.front() == '{') {
    for (Json& item : value) prune(item, inner, drop_empty);
    return;
  }
  const Fields& fields = *fields_of(type);
  for (auto it = value.begin(); it != value.end();) {
    auto field = fields.find(it.key());
    const bool is_collection = field != fields.end() && (field->second[0] == '[' || field->second[0] == '{');
    if (field == fields.end() || (drop_empty && is_collection && it->empty())) {
      it = value.erase(it);
    } else {
      prune(*it, field->second, drop_empty);
      ++it;
    }
  }
}

}  // namespace

const std::string* type_of_field(std::string_view type, std::string_view field) {
  const Fields* fields = fields_of(type);
  if (!fields) return nullptr;
  auto found = fields->find(field);
  return found == fields->end() ? nullptr : &found->second;
}

void prune_fields(const ResourceKind& kind, Json& object) {
  if (has_field_types(kind)) prune(object, kind.kind, kind.kind != "PyTorchJob");
}

std::vector<std::string> check_field_types(const ResourceKind& kind, const Json& object) {
  std::vector<std::string> paths;
  if (!has_field_types(kind)) return paths;
  Checker checker{&kind, nullptr};
  checker.check_fields("", object, kind.kind);
  for (const UnknownField& field : checker.unknown) paths.push_back(field.path);
  return paths;
}

std::vector<FieldFault> type_faults(std::string_view type, const Json& object) {
  std::vector<FieldFault> faults;
  Checker checker{nullptr, &faults};
  checker.check_fields("", object, type);
  return faults;
}

bool has_field_types(const ResourceKind& kind) {
  return is_known(kind) && fields_of(kind.kind) != nullptr;
}

namespace {

/// "no such field", and which field was probably meant. A field that only starts with the word, such as
/// imagePullSecrets with image, is another field.
std::string unknown_text(const UnknownField& field) {
  std::vector<std::string> names;
  for (const auto& [name, type] : field.known) names.push_back(name);
  const auto meant = nearest(field.name, names);
  const bool is_near = meant && (!meant->starts_with(field.name) || meant->size() <= 2 * field.name.size());
  return is_near ? "no such field; did you mean " + *meant + "?" : "no such field";
}

std::vector<FieldFault> faults_in(const ResourceKind& kind, const Json& object, std::string_view type) {
  std::vector<FieldFault> faults;
  Checker checker{&kind, &faults};
  checker.check_fields("", object, type);
  for (UnknownField& field : checker.unknown) {
    std::string text = unknown_text(field);
    faults.push_back({std::move(field.steps), field.path, std::move(text), true, true});
  }
  return faults;
}

}  // namespace

std::vector<FieldFault> field_faults(const ResourceKind& kind, const Json& object) {
  return has_field_types(kind) ? faults_in(kind, object, kind.kind) : std::vector<FieldFault>();
}

std::vector<FieldFault> faults_of_pod_template(const Json& pod_template) {
  std::vector<FieldFault> faults = faults_in(known_kind("v1", "Pod"), pod_template, "PodTemplateSpec");
  for (FieldFault& fault : faults) fault.may_be_newer = true;
  return faults;
}

}  // namespace kml::api
