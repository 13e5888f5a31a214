#pragma once

#include <cstdint>

#include "kml/kube/objects/selector.h"
#include "kml/local/http_message.h"
#include "local/api/api_path.h"

namespace kml::local {

/// The revision that a list must show. With `resourceVersionMatch=Exact`, this is `resourceVersion`;
/// otherwise it is the current revision, which is recent enough for any request. Throws 400 or 422 for
/// invalid parameters, and 504 for a revision in the future.
uint64_t requested_revision(const HttpRequest& request, uint64_t current);

/// Decides which objects belong to a list, a watch, or the deletion of a collection.
class Selection {
 public:
  /// Throws if a selector is malformed, or names a field that field selectors cannot use.
  Selection(const ApiPath& path, const HttpRequest& request);

  bool matches(const Json& object) const;
  const api::ResourceKind& kind() const { return *path_.kind; }
  const std::string& namespace_name() const { return path_.namespace_name; }
  bool has_selectors() const { return has_selectors_; }

 private:
  ApiPath path_;
  api::LabelSelector labels_;
  api::FieldSelector fields_;
  bool has_selectors_;
};

}  // namespace kml::local
