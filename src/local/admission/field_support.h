#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::local {

enum class Support {
  obeyed,       ///< its subfields have their own rows in the table
  needs_root,   ///< obeyed if the server runs as root, otherwise the client gets a warning
  meaningless,  ///< always true here, or has no meaning on one machine; kml-local(1) gives the reason
  warned,       ///< accepted but not obeyed; the client gets a warning
  refused,
};

/// How this server treats a field of a Job or Pod.
struct FieldSupport {
  std::string_view field;  ///< "PodSpec.hostname", by the type's name in Kubernetes' OpenAPI
  Support support;
  std::string_view why = {};       ///< the reason, for the client; set for warned and refused fields
  std::string_view harmless = {};  ///< the value that requests nothing, such as "None"
};

/// One row for each field of JobSpec, subfields included.
std::span<const FieldSupport> field_supports();
const FieldSupport* find_support(std::string_view type, std::string_view field);

/// A field that is set but not obeyed.
struct UnobeyedField {
  std::string path;
  const FieldSupport& support;
};
/// The unobeyed fields of an object of type "JobSpec" or "PodSpec". `path` is the object's own path.
std::vector<UnobeyedField> unobeyed_fields(std::string_view type, const Json& object, const std::string& path,
                                           bool is_root);

}  // namespace kml::local
