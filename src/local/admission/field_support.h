#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::local {

enum class Support {
  obeyed,      ///< obeyed; its subfields have separate rows in the table
  needs_root,  ///< obeyed if the server runs as root, otherwise a warning for the client
  /// always fulfilled here, or without meaning on a single machine; kml-local(1) gives the reason
  meaningless,
  warned,  ///< accepted but not obeyed, with a warning for the client
  refused,
};

/// How this server treats a field of a Job or Pod.
struct FieldSupport {
  std::string_view
      field;  ///< the field, such as "PodSpec.hostname", with the type's name from Kubernetes' OpenAPI
  Support support;
  std::string_view why = {};       ///< the reason that the client sees, for fields with a warning or an error
  std::string_view harmless = {};  ///< a value that requests nothing, such as "None"
};

/// One row for each field in JobSpec, including the subfields of fields that are obeyed.
std::span<const FieldSupport> field_supports();
const FieldSupport* find_support(std::string_view type, std::string_view field);

/// A field that is set but not obeyed.
struct UnobeyedField {
  std::string path;
  const FieldSupport& support;
};
/// The fields of a "JobSpec" or "PodSpec" that are set but not obeyed. `path` is the object's own path.
std::vector<UnobeyedField> unobeyed_fields(std::string_view type, const Json& object, const std::string& path,
                                           bool is_root);

}  // namespace kml::local
