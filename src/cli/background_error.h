#pragma once

#include "kml/core/error.h"
#include "kml/core/json.h"

namespace kml::cli {

/// How an engine in the background tells whoever started it that it could not run: {"error": ...}.
Json background_message(const Error& error);
/// That error again, out of the value of "error".
Error background_error(const Json& message);

}  // namespace kml::cli
