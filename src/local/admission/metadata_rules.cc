#include "local/admission/metadata_rules.h"

#include <fmt/format.h>

#include "kml/api/names.h"

namespace kml::local {

namespace {

void validate_finalizers(const Json& metadata, FieldErrors& errors) {
  for (const Json& name : array_at(metadata, {"finalizers"})) {
    const std::string text = name.is_string() ? name.get<std::string>() : "";
    if (std::string problem = api::label_key_problem(text); !problem.empty())
      errors.invalid("metadata.finalizers", name, problem);
    else if (text.find('/') == std::string::npos && text != "orphan" && text != "foregroundDeletion" &&
             text != "kubernetes")
      errors.invalid("metadata.finalizers", name,
                     "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void validate_owners(const Json& metadata, FieldErrors& errors) {
  const Json& owners = array_at(metadata, {"ownerReferences"});
  int controllers = 0;
  for (size_t i = 0; i < owners.size(); ++i) {
    const std::string path = fmt::format("metadata.ownerReferences[{}]", i);
    for (const char* field : {"apiVersion", "kind", "name", "uid"})
      if (string_at(owners[i], {field}).empty()) errors.required(fmt::format("{}.{}", path, field));
    controllers += bool_at(owners[i], {"controller"}) ? 1 : 0;
  }
  if (controllers > 1)
    errors.invalid("metadata.ownerReferences", owners, "Only one reference can have Controller set to true");
}

}  // namespace

void validate_metadata(const Json& metadata, FieldErrors& errors) {
  validate_labels(metadata, "metadata", errors);
  validate_finalizers(metadata, errors);
  validate_owners(metadata, errors);
}

void validate_labels(const Json& metadata, const std::string& path, FieldErrors& errors) {
  for (const auto& [key, value] : object_at(metadata, {"labels"}).items()) {
    if (std::string problem = api::label_key_problem(key); !problem.empty())
      errors.invalid(path + ".labels", key, problem);
    if (std::string problem = api::label_value_problem(value.is_string() ? value.get<std::string>() : "");
        !problem.empty())
      errors.invalid(path + ".labels", value, problem);
  }
  constexpr size_t kMaxAnnotations = 256 << 10;
  size_t size = 0;
  for (const auto& [key, value] : object_at(metadata, {"annotations"}).items()) {
    if (std::string problem = api::label_key_problem(key); !problem.empty())
      errors.invalid(path + ".annotations", key, problem);
    size += key.size() + (value.is_string() ? value.get_ref<const std::string&>().size() : 0);
  }
  if (size > kMaxAnnotations) errors.too_long(path + ".annotations", kMaxAnnotations);
}

}  // namespace kml::local
