#pragma once

#include <cstdint>

#include "kml/api/selector.h"
#include "local/api/api_path.h"
#include "local/http/http_message.h"

namespace kml::local {

/// Which moment a list is of: the revision that `resourceVersion` asks for with `resourceVersionMatch=Exact`;
/// else the current one, which is not older than any. Throws 400 or 422 for parameters that make no sense,
/// and 504 for a revision that has not come yet.
uint64_t requested_revision(const HttpRequest& request, uint64_t current);

/// Which objects a list, a watch or a delete of a collection means.
class Selection {
 public:
  /// Throws if a selector is malformed.
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
