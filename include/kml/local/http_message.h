#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kml::local {

/// The headers of an upgrade request; a missing header is empty.
struct UpgradeHeaders {
  std::string to = {};                       ///< "websocket", "SPDY/3.1"
  std::string key = {};                      ///< Sec-WebSocket-Key
  std::string version = {}, protocols = {};  ///< Sec-WebSocket-Version and -Protocol
};

/// What a browser says about the page that sends a request; a missing header is empty.
struct BrowserHeaders {
  std::string host = {}, origin = {}, cookie = {};
  std::string site = {};      ///< Sec-Fetch-Site: "none", "same-origin", "same-site" or "cross-site"
  std::string page_key = {};  ///< X-Kml-Key, which only kml's own page sends
};

struct HttpRequest {
  std::string method = {};
  std::string path = {};  ///< percent-decoded, without the query
  /// The first value of each parameter, percent-decoded.
  std::map<std::string, std::string, std::less<>> query = {};
  /// All values of each parameter, in their order.
  std::multimap<std::string, std::string, std::less<>> all_query = {};
  /// other headers; a missing header is empty
  std::string content_type = {}, authorization = {}, accept = {};
  UpgradeHeaders upgrade = {};
  BrowserHeaders browser = {};
  std::string body = {};

  /// The value of a query parameter; empty if it is missing.
  std::string parameter(std::string_view name) const {
    auto found = query.find(name);
    return found == query.end() ? std::string() : found->second;
  }
  /// Whether the query parameter is present, and neither "0" nor "false". This is how the API server reads a
  /// boolean.
  bool is_true(std::string_view name) const {
    const std::string value = parameter(name);
    return query.contains(name) && value != "0" && value != "false";
  }
};

/// A body that is incomplete when its response starts, as in a watch or a followed log. The connection only
/// asks for the next piece once it has sent the previous one, so a slow client does not make the server hold
/// much data.
class BodySource {
 public:
  enum class Next { more, wait, end };
  virtual ~BodySource() = default;

  /// Appends the next piece, of at most about 64 KiB. If no data is available yet, returns `wait`, and calls
  /// on_ready once it is.
  virtual Next read(std::string& piece) = 0;

  std::function<void()> on_ready;  ///< the server sets this before the first read()
};

/// A WebSocket from the point of view of its session.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  /// Sends a binary message, which is held until the client reads it. Check unsent() before you send more.
  virtual void send(std::string_view payload) = 0;
  /// How many bytes are queued and not sent yet.
  virtual size_t unsent() const = 0;
  /// Starts or stops reading messages. Messages that were already received may still be delivered.
  virtual void read_more(bool wanted) = 0;
  /// Closes the connection once all queued bytes have been sent. After this call, on_closed() is the only
  /// callback of the session that is called.
  virtual void close() = 0;
};

/// The server's side of a WebSocket connection. When the connection ends, the session and everything it owns
/// are destroyed.
class SocketSession {
 public:
  virtual ~SocketSession() = default;

  virtual void on_open() = 0;
  virtual void on_message(std::string_view payload) = 0;
  /// Called when some of the queued bytes have been sent.
  virtual void on_sent() = 0;
  /// Called when the connection has ended. The socket must no longer be used, and the session is destroyed
  /// soon. Never called while the session is calling the socket: after a failed send, the connection ends a
  /// little later.
  virtual void on_closed() = 0;

  WebSocket* socket = nullptr;  ///< the server sets this before on_open()
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::unique_ptr<BodySource> stream = {};  ///< a body that arrives later, used instead of `body`
  /// The session that takes over the connection, and its subprotocol, if the status is 101.
  std::unique_ptr<SocketSession> session = {};
  std::string protocol = {};
  /// Warnings that clients show to users (RFC 7234, code 299).
  std::vector<std::string> warnings = {};
  std::string allow = {};                                         ///< the header Allow for a 405
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< other headers
};

}  // namespace kml::local
