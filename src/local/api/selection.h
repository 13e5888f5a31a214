#pragma once

#include "kml/api/selector.h"
#include "local/api/api_path.h"
#include "local/http/http_message.h"

namespace kml::local {

/// Which objects a list, a watch or a delete of a collection means.
class Selection {
 public:
  /// Throws where a selector is malformed.
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
