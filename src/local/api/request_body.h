#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "local/http/http_message.h"

namespace kml::local {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

/// The object in a protobuf body. Some kubectl commands (create configmap, create job, auth can-i) send
/// protobuf; they accept answers in JSON. Throws 400 if the body cannot be read, 415 for a kind or field that
/// is only supported as JSON.
Json object_of_protobuf(std::string_view body);

/// The paths of the fields that the JSON text contains more than once ("spec.containers[0].name"). The parsed
/// object no longer shows them. The text must be valid JSON.
std::vector<std::string> duplicate_fields(std::string_view json);

/// Throws 400 if the text is not JSON, or is nested too deep.
Json parse_body(std::string_view text);

/// The object of a POST or PUT. Throws 415 if the body is not JSON, 400 if it is not an object.
Json object_of(const HttpRequest& request);

/// Throws 422 for an unknown value of dryRun or fieldValidation. `options_kind` is "CreateOptions", ….
void check_write_options(const HttpRequest& request, std::string_view options_kind);

/// Whether the request is a dry run.
bool is_dry_run(const HttpRequest& request);

}  // namespace kml::local
