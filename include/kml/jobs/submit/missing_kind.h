#pragma once

#include <string_view>

#include "kml/core/error.h"
#include "kml/core/json.h"

namespace kml::jobs {

/// Error::reason where the server does not have the kind of an object.
inline constexpr std::string_view kNoSuchKind = "NoSuchKind";

/// Why the object was not made. Where the server does not serve its kind, it only says "404 page not found":
/// then this says which operator is not installed. Any other error as it is.
Error explained_refusal(const Error& refusal, const Json& object);

}  // namespace kml::jobs
