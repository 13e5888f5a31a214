#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::ui {

/// A value as a field of CSV (RFC 4180), quoted if necessary. Null becomes an empty field.
std::string csv_field(const Json& value);

}  // namespace kml::ui
