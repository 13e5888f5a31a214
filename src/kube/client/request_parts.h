#pragma once

#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/resource.h"
#include "kml/net/http/transport.h"

namespace kml::kube {

/// A path with its query.
class Query {
 public:
  explicit Query(std::string path) : text_(std::move(path)) {}

  Query& add(std::string_view name, std::string_view value) {
    text_ += first_ ? '?' : '&';
    first_ = false;
    text_ += std::string(name) + "=" + percent_encoded(value);
    return *this;
  }
  /// Adds the parameter unless its value is empty.
  Query& add_if(std::string_view name, std::string_view value) {
    return value.empty() ? *this : add(name, value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

/// The Error for a response with a status other than 2xx. `tried` is like "cannot get job \"bert\"".
Error response_error(const std::string& tried, const http::Response& response);

/// Whether the response is a list of that kind. A custom resource can choose the kind of its list (listKind),
/// so every kind that ends in "List" is accepted, unless it is the list of another known kind. `items` may be
/// null or missing.
bool is_list(const Json& answer, const api::ResourceKind& kind);

/// The Error for a 2xx response that is not `wanted`, such as "a list of pods". The response may be a Status
/// that reports a failure, or come from a proxy, a login page or another service.
Error unexpected_answer(const Json& answer, const std::string& tried, const std::string& wanted);

/// Sets the object's kind to the requested one, whatever the response says. Items of a list have no kind, but
/// all code that reads objects needs one.
using api::set_kind;

}  // namespace kml::kube
