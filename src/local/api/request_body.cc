#include "local/api/request_body.h"

#include "kml/core/text.h"
#include "local/api/api_error.h"

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
  if (!type.empty() && type != "application/json")
    throw api_error(
        415, "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json");
  Json object = parse_body(request.body);
  if (!object.is_object()) throw bad_request("the body of the request is no object");
  return object;
}

bool is_dry_run(const HttpRequest& request) {
  const std::string text = request.parameter("dryRun");
  if (!text.empty() && text != "All")
    throw bad_request("dryRun: Unsupported value: \"" + text + "\": supported values: \"All\"");
  return text == "All";
}

}  // namespace kml::local
