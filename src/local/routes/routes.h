#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/api/resource.h"
#include "kml/core/json.h"
#include "local/api/api_path.h"
#include "local/http/http_message.h"
#include "local/store/store.h"

namespace kml::local {

/// What this server offers: the documents of /version, /api, /apis, /apis/GROUP[/VERSION], /api/v1 and the
/// part of /openapi/v3 that tells kubectl that fields are validated here. Nothing for other paths.
std::optional<Json> discovery_document(std::string_view path);

/// The group that pods' and the node's usage is served in; see PodUsages.
inline constexpr std::string_view kMetricsGroup = "metrics.k8s.io", kMetricsVersion = "v1beta1";

/// GET of a collection, with selectors, `limit` and `continue`.
/// All pages carry the resourceVersion of the first: a watch from there tells what changed meanwhile.
HttpResponse list_objects(const Store& store, const Clock& clock, const ApiPath& path,
                          const HttpRequest& request);

/// Answers a POST of SelfSubjectReview, SelfSubjectAccessReview or SelfSubjectRulesReview, which ask who one
/// is and what one may do: `user` may do everything here. Nothing for other paths.
std::optional<HttpResponse> review(const HttpRequest& request, const std::string& user);

/// A strategic merge patch (k8s.io/apimachinery/pkg/util/strategicpatch): as a merge patch, but lists of
/// things with a name (containers, env, volumes, …) are merged item by item, and "$patch",
/// "$setElementOrder/…",
/// "$deleteFromPrimitiveList/…" and "$retainKeys" say what a merge cannot. Throws 400 if an item lacks its
/// name.
void merge_strategically(Json& object, const Json& patch);

/// The object with a patch applied: RFC 7386 for "application/merge-patch+json", RFC 6902 for
/// "application/json-patch+json", and a strategic merge but for custom resources. Throws 415 for other types
/// (apply), 400 for a patch that is none, 422 for one that does not fit the object.
Json patched(const api::ResourceKind& kind, Json object, std::string_view content_type,
             std::string_view patch);

}  // namespace kml::local
