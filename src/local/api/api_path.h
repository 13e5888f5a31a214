#pragma once

#include <string>
#include <string_view>

#include "kml/kube/objects/resource.h"

namespace kml::local {

/// The target of an API path: a collection, an object, or a subresource of an object.
struct ApiPath {
  const api::ResourceKind* kind = nullptr;
  std::string
      namespace_name;  ///< the namespace; empty if all namespaces are meant, and for cluster-scoped kinds
  std::string name;    ///< the object's name; empty if the collection is meant
  std::string subresource;
};

/// Throws 404 with the path if this server has no such kind, or if the path has another form. Does not check
/// the name of a subresource.
ApiPath parse_api_path(std::string_view path);

/// Whether the embedded server keeps objects of that kind.
bool is_served(const api::ResourceKind& kind);

}  // namespace kml::local
