#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::api {

/// The values that a field of `type` may have, or each item of a list; nullptr if any text is valid. Types
/// and fields are named as in field_types.cc.
const std::vector<std::string>* values_of_field(std::string_view type, std::string_view field);

/// The fault in a resource's name in a type's field: `"memry" is not a resource; did you mean memory?`;
/// empty if it may be valid.
std::string resource_problem(std::string_view type, std::string_view field, const std::string& name);

/// The quantity that was probably meant: "1Gi" for "1GiB", "1 Gi" or "1gi"; empty if there is none.
std::string quantity_meant(std::string text);

}  // namespace kml::api
