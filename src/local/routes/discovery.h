#pragma once

#include <optional>

#include "kml/core/json.h"

namespace kml::local {

/// What this server offers: the documents of /version, /api, /apis, /apis/GROUP[/VERSION], /api/v1 and the
/// part of /openapi/v3 that tells kubectl that fields are validated here. Nothing for other paths.
std::optional<Json> discovery_document(std::string_view path);

}  // namespace kml::local
