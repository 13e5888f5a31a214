#pragma once

#include "kml/core/json.h"
#include "local/http/http_message.h"

namespace kml::local {

/// Throws 400 where the text is no JSON, or is nested too deep.
Json parse_body(std::string_view text);

/// The object of a POST or PUT. Throws 415 for what is not sent as JSON, 400 for what is no object.
Json object_of(const HttpRequest& request);

/// Whether the request only asks what would happen. Throws 400 for an unknown value.
bool is_dry_run(const HttpRequest& request);

}  // namespace kml::local
