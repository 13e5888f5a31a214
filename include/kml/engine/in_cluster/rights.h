#pragma once

#include <string>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::engine {

/// The error with which the server rejected `object`. If the object is a Role or RoleBinding that the user
/// may not create, the error refers to the man page `page`.
Error with_rights_to_ask_for(Error error, const Json& object, const std::string& page);

}  // namespace kml::engine
