#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/local/http_message.h"

namespace kml::local {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

/// The object in a protobuf body. Some kubectl commands (create configmap, create job, auth can-i) send
/// protobuf, but accept JSON responses. Throws 400 if the body cannot be read, and 415 for a kind or field
/// that is only supported as JSON.
Json object_of_protobuf(std::string_view body);

/// The paths of the fields that occur more than once in the JSON text ("spec.containers[0].name"). The parsed
/// object no longer shows this. The text must be valid JSON.
std::vector<std::string> duplicate_fields(std::string_view json);

/// Parses JSON. Throws 400 if the text is not JSON, or is nested too deeply.
Json parse_body(std::string_view text);

/// The object in a POST or PUT request. Throws 415 if the body is neither JSON nor protobuf, and 400 if it is
/// not an object.
Json object_of(const HttpRequest& request);

/// Throws 422 for an unknown value of dryRun or fieldValidation. `options_kind` is "CreateOptions" or a
/// similar kind.
void check_write_options(const HttpRequest& request, std::string_view options_kind);

/// Whether the request is a dry run.
bool is_dry_run(const HttpRequest& request);

}  // namespace kml::local
