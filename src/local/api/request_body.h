#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "local/http/http_message.h"

namespace kml::local {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

/// The object in a protobuf body. kubectl's own makers of objects (create configmap, create job, auth can-i)
/// send that; answers are JSON, which they take. Throws 400 if it cannot be read, 415 for a kind or a
/// field that is only read as JSON.
Json object_of_protobuf(std::string_view body);

/// The paths of the fields that a JSON text gives more than once ("spec.containers[0].name"), which a parsed
/// object no longer tells. The text has been parsed before.
std::vector<std::string> duplicate_fields(std::string_view json);

/// Throws 400 if the text is not JSON, or is nested too deep.
Json parse_body(std::string_view text);

/// The object of a POST or PUT. Throws 415 for what is not sent as JSON, 400 for what is not an object.
Json object_of(const HttpRequest& request);

/// Throws 422 for values of dryRun and fieldValidation that there are not. `options_kind` is "CreateOptions",
/// ….
void check_write_options(const HttpRequest& request, std::string_view options_kind);

/// Whether the request only asks what would happen.
bool is_dry_run(const HttpRequest& request);

}  // namespace kml::local
