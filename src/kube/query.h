#pragma once

#include <string>
#include <string_view>

#include "kml/api/resource.h"

namespace kml::kube {

/// A path with its query.
class Query {
 public:
  explicit Query(std::string path) : text_(std::move(path)) {}

  Query& add(std::string_view name, std::string_view value) {
    text_ += first_ ? '?' : '&';
    first_ = false;
    text_ += std::string(name) + "=" + api::url_encoded(value);
    return *this;
  }
  /// Leaves out an empty value.
  Query& add_if(std::string_view name, std::string_view value) {
    return value.empty() ? *this : add(name, value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

}  // namespace kml::kube
