#include "local/routes/patch.h"

#include "kml/core/text.h"
#include "local/api/api_error.h"
#include "local/api/request_body.h"
#include "local/http/http_server.h"
#include "local/routes/strategic_merge.h"

namespace kml::local {

namespace {

// As in the API server.
constexpr size_t kMaxOperations = 10'000;

/// The API server's library takes a "replace" of a field that is not there for an "add".
Json as_add(const Json& object, Json operation) {
  const std::string path = string_at(operation, {"path"});
  if (string_at(operation, {"op"}) == "replace" && path.starts_with('/') &&
      !object.contains(Json::json_pointer(path)))
    operation["op"] = "add";
  return operation;
}

/// Applies the operations one by one. "copy" can double a document each time: what it copies is counted.
Json with_operations(Json object, const Json& operations) {
  if (!operations.is_array()) throw bad_request("a JSON patch is a list of operations");
  if (operations.size() > kMaxOperations)
    throw api_error(413, "RequestEntityTooLarge", "a JSON patch may hold 10000 operations");
  size_t copied = 0;
  try {
    for (const Json& operation : operations) {
      if (string_at(operation, {"op"}) == "copy") {
        copied += object.at(Json::json_pointer(string_at(operation, {"from"}))).dump().size();
        if (copied > HttpServer::kMaxBody)
          throw api_error(413, "RequestEntityTooLarge", "a JSON patch may copy 3 MiB in all");
      }
      object.patch_inplace(Json::array({as_add(object, operation)}));
    }
  } catch (const Json::exception& e) {
    throw api_error(422, "Invalid", std::string("the patch does not fit the object: ") + e.what());
  }
  return object;
}

}  // namespace

Json patched(const api::ResourceKind& kind, Json object, std::string_view content_type,
             std::string_view patch) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  if (type == "application/merge-patch+json") {
    object.merge_patch(parse_body(patch));
    return object;
  }
  if (type == "application/json-patch+json") return with_operations(std::move(object), parse_body(patch));
  const bool has_strategy = kind.group != "kubeflow.org";  // a custom resource's lists have no known keys
  if (type == "application/strategic-merge-patch+json" && has_strategy) {
    merge_strategically(object, parse_body(patch));
    return object;
  }
  throw api_error(
      415, "UnsupportedMediaType",
      std::string("the body of the request was in an unknown format - accepted media types include: "
                  "application/json-patch+json, application/merge-patch+json") +
          (has_strategy ? ", application/strategic-merge-patch+json" : ""));
}

}  // namespace kml::local
