#pragma once

#include <string_view>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::job {

/// The Error::reason if the server does not have the object's kind.
inline constexpr std::string_view kNoSuchKind = "NoSuchKind";

/// Whether the 404 response is about an unknown path. If a namespace or an object is missing, the response
/// names it. If a path is unknown, the response has no reason, or a proxy in front of the server uses
/// apimachinery's wording.
bool is_about_path(const Error& refusal);

/// Explains why the object was not created. If the kind is unknown, the server only returns "404 page not
/// found"; the Error then names the operator that is not installed. Returns other errors unchanged.
Error explained_refusal(const Error& refusal, const Json& object);

}  // namespace kml::job
