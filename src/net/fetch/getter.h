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
  /// Takes the next bytes of that body. Returns whether it has seen none of them before.
  std::function<bool(std::string_view)> take;
};

/// GET requests to several servers. Follows redirections. Repeats a request if the connection breaks, or if
/// the server is busy, for some minutes.
class Getter {
 public:
  explicit Getter(const Means& means) : means_(means) {}

  /// Sends this token to that server, and to no other. Throws usage Error if it would be sent without TLS.
  void use_token(const std::string& origin, const std::string& token);
  /// Sets `place` to the last place. Throws Error (unreachable) if no response arrives.
  http::Response get(Place& place);
  /// Like get(), but the caller takes the body. Passes on what the functions of `reading` throw.
  http::Response read(Place& place, const Reading& reading);

 private:
  struct Attempt {
    http::Response response = {};
    std::optional<Error> fault = {};
    bool has_news = false;  ///< whether bytes of the body were new
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

/// The server and the path of a URL that a user has given.
Place place_of_url(const std::string& url);

}  // namespace kml::fetch
