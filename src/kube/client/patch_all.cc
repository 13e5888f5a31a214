#include "kml/kube/client/patch_all.h"

#include <vector>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kube/client/write_requests.h"

namespace kml::kube {

namespace {

constexpr int kNotFound = 404;

/// Whether the server has patched the object, or the object no longer exists. A response from a different
/// service does not contain such an object. If a response is not recognized here, the patch is sent again.
bool is_patched(const http::Response& response, const api::ResourceKind& kind) {
  return response.status == kNotFound ||
         (response.status / 100 == 2 &&
          contains(response.body, "\"kind\":\"" + std::string(kind.kind) + "\""));
}

}  // namespace

void patch_all(Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
               std::span<const std::string> names, const Json& patch) {
  std::vector<http::Request> requests;
  for (const std::string& name : names)
    requests.push_back(patch_request(kind, namespace_name, name, PatchType::merge, patch));
  std::vector<std::string> failed;
  client.transport().send_all(requests, [&](size_t index, const http::Response* response, const Error*) {
    if (!response || !is_patched(*response, kind)) failed.push_back(names[index]);
  });
  for (const std::string& name : failed) try {
      client.patch(kind, namespace_name, name, PatchType::merge, patch);
    } catch (const Error& error) {
      if (error.http_status != kNotFound) throw;
    }
}

}  // namespace kml::kube
