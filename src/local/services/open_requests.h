#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "local/services/http2_streams.h"
#include "local/services/http_messages.h"

namespace kml::local {

/// Follows the bytes of one client's connection, to know whether a request is in progress: it has begun, and
/// its response has not ended. Knows HTTP/1 and HTTP/2 without TLS. After an upgrade, as for a WebSocket, and
/// in other protocols, the whole connection is one request.
class OpenRequests {
 public:
  OpenRequests();
  OpenRequests(const OpenRequests&) = delete;
  OpenRequests& operator=(const OpenRequests&) = delete;

  void from_client(std::string_view bytes);
  void from_server(std::string_view bytes);
  bool any() const;

 private:
  enum class Protocol { unknown, http1, http2, other };
  enum class Method { head, connect, other };

  HttpMessages::Body on_request(const HttpMessages::Head& head);
  HttpMessages::Body on_response(const HttpMessages::Head& head);
  void on_response_end();
  HttpMessages::Body give_up();

  Protocol protocol_ = Protocol::unknown;
  size_t preface_ = 0;  ///< how many bytes of HTTP/2's preface the client has sent
  HttpMessages requests_, responses_;
  std::deque<Method> unanswered_;
  bool is_interim_ = false;  ///< whether another response follows this one, as after 100 Continue
  Http2Streams streams_;
};

}  // namespace kml::local
