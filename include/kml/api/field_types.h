#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/api/resource.h"
#include "kml/core/error.h"

namespace kml::api {

/// Throws Error if a known field has a value of the wrong type, as an API server does when it cannot decode
/// an object. Later readers can then rely on the types. Returns the paths of unknown fields.
std::vector<std::string> check_field_types(const ResourceKind& kind, const Json& object);

/// Unknown fields that are probably typos, each with the known name that it resembles. Other unknown fields
/// may come from a newer Kubernetes.
std::vector<Problem> misspelt_fields(const ResourceKind& kind, const Json& object);

/// The type of a field of `type`, in the notation of field_types.cc: "s", "[Container]". nullptr if `type`
/// does not have the field.
const std::string* type_of_field(std::string_view type, std::string_view field);

/// Removes unknown fields and, except in custom resources, empty maps and lists. An API server drops them
/// too, because it decodes an object into a Go struct and encodes it again.
void prune_fields(const ResourceKind& kind, Json& object);

}  // namespace kml::api
