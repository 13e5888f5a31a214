#include "kube/client/write_requests.h"

#include <utility>

#include "kml/base/json.h"

namespace kml::kube {

namespace {

constexpr std::string_view kFieldManager = "kml";

const char* content_type_of(PatchType type) {
  switch (type) {
    case PatchType::json: return "application/json-patch+json";
    case PatchType::merge: return "application/merge-patch+json";
    case PatchType::strategic: return "application/strategic-merge-patch+json";
    case PatchType::apply: return "application/apply-patch+yaml";
  }
  return "";
}

}  // namespace

Query writing(std::string path) {
  return std::move(
      Query(std::move(path)).add("fieldManager", kFieldManager).add("fieldValidation", "Strict"));
}

http::Request json_request(std::string method, std::string path, const Json& body, std::string content_type) {
  return {.method = std::move(method),
          .path = std::move(path),
          .headers = {{"Accept", "application/json"}, {"Content-Type", std::move(content_type)}},
          .body = compact_text(body)};
}

http::Request patch_request(const api::ResourceKind& kind, std::string_view namespace_name,
                            std::string_view name, PatchType type, const Json& patch,
                            std::string_view subresource) {
  return json_request("PATCH", writing(kind.object_path(namespace_name, name, subresource)).text(), patch,
                      content_type_of(type));
}

}  // namespace kml::kube
