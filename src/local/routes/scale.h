#pragma once

#include "kml/local/http_message.h"
#include "local/admission/admission.h"
#include "local/api/api_path.h"
#include "local/store/store.h"

namespace kml::local {

/// Whether objects of this kind have the subresource "scale", because they keep a number of pods.
bool has_scale(const api::ResourceKind& kind);

/// The autoscaling/v1 Scale of a Deployment or ReplicaSet.
Json scale_of(const Json& object);

/// Handles PUT and PATCH of a Scale. Returns the new Scale. Throws 4xx; 409 means that the request's
/// resourceVersion is outdated.
HttpResponse write_scale(Store& store, const Admission& admission, const ApiPath& path,
                         const HttpRequest& request);

}  // namespace kml::local
