#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/kube/objects/resource.h"
#include "kml/local/http_message.h"
#include "local/store/refusal.h"

namespace kml::local {

Error bad_request(std::string message);
/// The rejection of a single object; its Status names the object.
struct ApiError : Error {
  ApiError(Error error, const api::ResourceKind& kind, std::string_view kind_name, std::string_view name);

  Json details;  ///< metav1.StatusDetails without the causes
};
ApiError forbidden(const api::ResourceKind& kind, std::string_view name, std::string_view why);
ApiError not_found(const api::ResourceKind& kind, std::string_view name);
/// A 501 error for a feature that clusters have, but not this server.
Error not_offered(std::string_view what);

/// Collects the faults in an object's fields, worded as by the API server ("Required value: …").
class FieldErrors {
 public:
  void required(std::string path, std::string_view hint = {});
  void invalid(std::string path, const Json& value, std::string_view why);
  void not_supported(std::string path, const Json& value, std::string_view supported);
  /// Adds "Unsupported value" if `value` is not one of the allowed values.
  void require_one_of(std::string path, const Json& value, std::initializer_list<std::string_view> allowed);
  void forbidden(std::string path, std::string_view why);
  void duplicate(std::string path, const Json& value);
  void not_found(std::string path, const Json& value);
  void too_long(std::string path, size_t bytes);
  void immutable(std::string path, const Json& value);
  /// Adds the faults found in a part of the object. Puts `path` and "." before their paths.
  void add_all(const FieldErrors& part, const std::string& path);

  bool empty() const { return problems_.empty(); }
  /// If there are any faults, throws 422 Invalid with all of them as causes.
  void throw_if_any(const api::ResourceKind& kind, std::string_view name) const;

 private:
  void add(std::string path, std::string text);

  std::vector<Problem> problems_;
};

/// "jobs.batch", "pods".
std::string resource_name(const api::ResourceKind& kind);

HttpResponse json_response(int http_status, const Json& body);
/// Converts an error to a metav1.Status. An error without an HTTP status becomes 500; a usage error, such as
/// a malformed selector or number in the request, becomes 400.
HttpResponse error_response(const Error& error);

}  // namespace kml::local
