#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kml::local {

struct HttpRequest {
  std::string method = {};
  std::string path = {};  ///< percent-decoded, without the query
  /// Percent-decoded; the first of a name counts.
  std::map<std::string, std::string, std::less<>> query = {};
  std::string content_type = {}, authorization = {}, accept = {};  ///< headers; empty if they are missing
  std::string body = {};

  /// Empty if it is not given.
  std::string parameter(std::string_view name) const {
    auto found = query.find(name);
    return found == query.end() ? std::string() : found->second;
  }
  /// Whether it is given and neither "0" nor "false", as the API server reads a boolean.
  bool is_true(std::string_view name) const {
    const std::string value = parameter(name);
    return query.contains(name) && value != "0" && value != "false";
  }
};

/// A body that is not known when its response begins: a watch, a followed log. The connection asks for more
/// when it has sent the last piece, so that a slow client never makes the server hold much.
class BodySource {
 public:
  enum class Next { more, wait, end };
  virtual ~BodySource() = default;

  /// Appends the next piece, of about 64 KiB at most. `wait` where there is none yet: then on_ready is called
  /// when there is.
  virtual Next read(std::string& piece) = 0;

  std::function<void()> on_ready;  ///< set by the server before the first read
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::unique_ptr<BodySource> stream = {};  ///< instead of a body
  /// Shown by clients to whoever asked (RFC 7234, code 299).
  std::vector<std::string> warnings = {};
  std::string allow = {};  ///< the header of a 405
};

}  // namespace kml::local
