#include "local/api/request_body.h"

#include "kml/core/text.h"
#include "local/api/api_error.h"
#include "local/api/protobuf_body.h"

namespace kml::local {

Json parse_body(std::string_view text) {
  try {
    return parse_json(text, "the request");
  } catch (const Error& error) {
    throw bad_request(error.message + ": " + error.why);
  }
}

Json object_of(const HttpRequest& request) {
  const std::string_view type =
      trim(std::string_view(request.content_type).substr(0, request.content_type.find(';')));
  if (type == kProtobuf) return object_of_protobuf(request.body);
  if (!type.empty() && type != "application/json")
    throw api_error(
        415, "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json, "
        "application/vnd.kubernetes.protobuf");
  Json object = parse_body(request.body);
  if (!object.is_object()) throw bad_request("the body of the request is no object");
  return object;
}

void check_write_options(const HttpRequest& request, std::string_view options_kind) {
  FieldErrors errors;
  if (std::string text = request.parameter("dryRun"); !text.empty() && text != "All")
    errors.not_supported("dryRun", text, "\"All\"");
  const std::string validation = request.parameter("fieldValidation");
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" && validation != "Strict")
    errors.not_supported("fieldValidation", validation, "\"\", \"Ignore\", \"Strict\", \"Warn\"");
  const api::ResourceKind options{"meta.k8s.io", "v1", options_kind, "", "", "", false};
  errors.throw_if_any(options, "");
}

bool is_dry_run(const HttpRequest& request) {
  return request.parameter("dryRun") == "All";
}

}  // namespace kml::local
