#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/api/resource.h"
#include "kml/core/error.h"

namespace kml::api {

/// Throws Error if a known field of the object has a value of another type, as an API server that cannot
/// decode it: whoever reads the object later need not ask. Returns the paths of the fields that the kind
/// does not have.
std::vector<std::string> check_field_types(const ResourceKind& kind, const Json& object);

/// The fields that the kind does not have and that are nearly the name of one it has, with that name: slips
/// of the hand. Others may be of a newer Kubernetes.
std::vector<Problem> misspelt_fields(const ResourceKind& kind, const Json& object);

/// What the field of that type holds, as field_types.cc writes it: "s", "[Container]"; nullptr if there is
/// none.
const std::string* type_of_field(std::string_view type, std::string_view field);

/// Takes out the fields that the kind does not have, and, but for custom resources, empty maps and lists: an
/// API server reads an object into a structure and writes it out again without them.
void prune_fields(const ResourceKind& kind, Json& object);

}  // namespace kml::api
