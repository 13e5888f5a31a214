#pragma once

#include <string>
#include <string_view>

#include "kml/api/resource.h"

namespace kml::local {

/// What a URL path of the API names: a collection, one object, or a subresource of it.
struct ApiPath {
  const api::ResourceKind* kind = nullptr;
  std::string namespace_name;  ///< empty for all namespaces and for kinds without
  std::string name;            ///< empty for the collection
  std::string subresource;
};

/// Throws 404 if the path names nothing that this server keeps, saying which.
ApiPath parse_api_path(std::string_view path);

/// Whether the embedded server keeps objects of that kind.
bool is_served(const api::ResourceKind& kind);

}  // namespace kml::local
