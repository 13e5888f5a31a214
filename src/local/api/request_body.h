#pragma once

#include "kml/core/json.h"
#include "local/http/http_message.h"

namespace kml::local {

/// Throws 400 where the text is no JSON, or is nested too deep.
Json parse_body(std::string_view text);

/// The object of a POST or PUT. Throws 415 for what is not sent as JSON, 400 for what is no object.
Json object_of(const HttpRequest& request);

/// Throws 422 for values of dryRun and fieldValidation that there are not. `options_kind` is "CreateOptions",
/// ….
void check_write_options(const HttpRequest& request, std::string_view options_kind);

/// Whether the request only asks what would happen.
bool is_dry_run(const HttpRequest& request);

}  // namespace kml::local
