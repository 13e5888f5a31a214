#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::api {

/// The values that this field of `type`, or each item in it, may have; nullptr if kml does not know them, or
/// any text is valid. The names of types and fields are those in field_table.cc.
const std::vector<std::string>* values_of_field(std::string_view type, std::string_view field);

/// The fault in a resource's name in this field of `type`, such as `"memry" is not a resource; did you mean
/// memory?`. Empty if the name may be valid.
std::string resource_problem(std::string_view type, std::string_view field, const std::string& name);

/// The quantity that the user probably meant: "1Gi" for "1GiB", "1 Gi" or "1gi". Empty if there is none.
std::string quantity_meant(std::string text);

}  // namespace kml::api
