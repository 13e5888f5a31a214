#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"
#include "kml/kube/objects/resource.h"
#include "kml/local/http_message.h"
#include "local/api/api_path.h"
#include "local/store/store.h"

namespace kml::local {

/// The documents that describe this server: /version, /api, /apis, /apis/GROUP[/VERSION], /api/v1, and the
/// part of /openapi/v3 from which kubectl learns that the server validates fields. Empty for other paths.
std::optional<Json> discovery_document(std::string_view path);

/// The API group for the resource usage of pods and the node; see PodUsages.
inline constexpr std::string_view kMetricsGroup = "metrics.k8s.io", kMetricsVersion = "v1beta1";

/// Handles GET requests for a collection, with selectors, `limit` and `continue`. Unless the list expires,
/// all its pages have the first page's resourceVersion, so a watch that starts there reports all changes
/// since.
HttpResponse list_objects(const Store& store, const Clock& clock, const ApiPath& path,
                          const HttpRequest& request);

/// Handles POST requests for SelfSubjectReview, SelfSubjectAccessReview and SelfSubjectRulesReview, with
/// which clients ask who they are and what they may do. The answer is that they are `user` and may do
/// everything. Empty for other paths.
std::optional<HttpResponse> review(const HttpRequest& request, const std::string& user);

/// Applies a strategic merge patch (k8s.io/apimachinery/pkg/util/strategicpatch). It is like a merge patch,
/// but lists of named items (containers, env, volumes, …) are merged item by item, and "$patch",
/// "$setElementOrder/…", "$deleteFromPrimitiveList/…" and "$retainKeys" can express more. Throws 400 if an
/// item does not have the key that identifies it.
void merge_strategically(Json& object, const Json& patch);

/// The object with a patch applied: by RFC 7386 for "application/merge-patch+json", by RFC 6902 for
/// "application/json-patch+json", and by merge_strategically() for "application/strategic-merge-patch+json",
/// which custom resources do not support. Throws 415 for other types (apply), 400 for a malformed patch, 413
/// for one that is too large, and 422 for a patch that does not fit the object.
Json patched(const api::ResourceKind& kind, Json object, std::string_view content_type,
             std::string_view patch);

}  // namespace kml::local
