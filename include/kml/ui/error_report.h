#pragma once

#include "kml/base/error.h"
#include "kml/base/streams.h"

namespace kml::ui {

/// Prints the error to standard error, as text or as one JSON object.
void print_error(const Streams& streams, const Error& error, bool as_json);

}  // namespace kml::ui
