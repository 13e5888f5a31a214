#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/net/fetch/fetch.h"
#include "net/registry/place.h"

namespace kml::fetch {

using registry::Place;

/// How the body of a response is read while it arrives.
struct Reading {
  /// The headers of the request, such as the range that is still missing. Called for each attempt.
  std::function<http::Headers()> headers;
  /// Called before the body of a response with status 2xx.
  std::function<void(const http::Response&)> begin;
  /// Receives the next bytes of that body. Returns whether any of them are new: a server may send bytes again
  /// that an earlier attempt has received.
  std::function<bool(std::string_view)> take;
};

/// GET requests to several servers. Follows redirections. Repeats a request if there is no connection or it
/// breaks, or if the server is busy, usually for some minutes.
class Getter {
 public:
  explicit Getter(const Means& means) : means_(means) {}

  /// Adds the token to all requests to the server `origin`. No other server receives it. Throws usage Error
  /// if the token would be sent to another machine without TLS.
  void use_token(const std::string& origin, const std::string& token);
  /// Sets `place` to the place from which the response came. Throws Error (unreachable) if no response
  /// arrives.
  http::Response get(Place& place);
  /// Like get(), but passes the body to the caller as it arrives. Also throws what the functions of `reading`
  /// throw.
  http::Response read(Place& place, const Reading& reading);

 private:
  struct Attempt {
    http::Response response = {};
    std::optional<Error> fault = {};
    bool has_news = false;  ///< whether the attempt received bytes that were new
  };
  http::Response repeat(Place& place, const std::function<Attempt()>& attempt);
  Attempt read_once(const Place& place, const Reading& reading);
  http::Request request_for(const Place& place, http::Headers headers) const;
  http::Transport& transport(const std::string& origin);
  void wait(std::chrono::milliseconds delay, const std::string& why) const;

  const Means& means_;
  std::map<std::string, std::unique_ptr<http::Transport>> transports_;
  std::map<std::string, std::string> tokens_;
};

/// Whether the status means that the header Location names the place of the content.
bool is_redirection(int status);

/// The server and the path of a URL that a user has given.
Place place_of_url(const std::string& url);

}  // namespace kml::fetch
