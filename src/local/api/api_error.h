#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/kube/objects/resource.h"
#include "local/http/http_message.h"
#include "local/store/refusal.h"

namespace kml::local {

Error bad_request(std::string message);
/// A refusal that concerns one object; its Status names the object.
struct ApiError : Error {
  ApiError(Error error, const api::ResourceKind& kind, std::string_view kind_name, std::string_view name);

  Json details;  ///< metav1.StatusDetails without the causes
};
ApiError forbidden(const api::ResourceKind& kind, std::string_view name, std::string_view why);
ApiError not_found(const api::ResourceKind& kind, std::string_view name);
/// 501, for a feature that a cluster has and this server lacks.
Error not_offered(std::string_view what);

/// Collects the faults of an object's fields, in the API server's words ("Required value: …").
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
  /// Adds the faults of a part of the object; `path` and "." go before their paths.
  void add_all(const FieldErrors& part, const std::string& path);

  bool empty() const { return problems_.empty(); }
  /// Throws 422 Invalid with all collected faults as causes, if there are any.
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
