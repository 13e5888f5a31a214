#pragma once

#include <string>
#include <string_view>

#include "kml/kube/client/client.h"
#include "kml/kube/objects/resource.h"
#include "kml/net/http/transport.h"
#include "kube/client/request_parts.h"

namespace kml::kube {

/// Adds the parameters for requests that write: unknown fields are errors, and the server records kml as the
/// manager of the fields.
Query writing(std::string path);

http::Request json_request(std::string method, std::string path, const Json& body,
                           std::string content_type = "application/json");

/// The request that Client::patch() sends.
http::Request patch_request(const api::ResourceKind& kind, std::string_view namespace_name,
                            std::string_view name, PatchType type, const Json& patch,
                            std::string_view subresource = {});

}  // namespace kml::kube
