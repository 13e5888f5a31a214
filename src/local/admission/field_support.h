#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::local {

enum class Support {
  obeyed,       ///< and what is in it has a place of its own in the table
  needs_root,   ///< obeyed where root runs the server, else warned of
  meaningless,  ///< what it asks for is so anyway, or means nothing on one machine; kml-local(1) says why
  warned,       ///< taken, not obeyed, and the client is told
  refused,
};

/// What becomes of a field of a Job or Pod here.
struct FieldSupport {
  std::string_view field;  ///< "PodSpec.hostname", by the type's name in Kubernetes' OpenAPI
  Support support;
  std::string_view why = {};       ///< of warned and refused ones, for the client
  std::string_view harmless = {};  ///< that value asks for nothing: "None"
};

/// One for each field of JobSpec and of all that is in it.
std::span<const FieldSupport> field_supports();
const FieldSupport* find_support(std::string_view type, std::string_view field);

/// A field that is given and not obeyed.
struct UnobeyedField {
  std::string path;
  const FieldSupport& support;
};
/// Those of an object of that type, "JobSpec" or "PodSpec", which stands at the path.
std::vector<UnobeyedField> unobeyed_fields(std::string_view type, const Json& object, const std::string& path,
                                           bool is_root);

}  // namespace kml::local
