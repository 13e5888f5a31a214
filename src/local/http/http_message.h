#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kml::local {

/// The headers of an upgrade request; empty if they are missing.
struct UpgradeHeaders {
  std::string to = {};                       ///< "websocket", "SPDY/3.1"
  std::string key = {};                      ///< Sec-WebSocket-Key
  std::string version = {}, protocols = {};  ///< Sec-WebSocket-Version and -Protocol
};

struct HttpRequest {
  std::string method = {};
  std::string path = {};  ///< percent-decoded, without the query
  /// The first value of each name, percent-decoded.
  std::map<std::string, std::string, std::less<>> query = {};
  /// All values of each name, in their order.
  std::multimap<std::string, std::string, std::less<>> all_query = {};
  std::string content_type = {}, authorization = {}, accept = {};  ///< headers; empty if they are missing
  UpgradeHeaders upgrade = {};
  std::string body = {};

  /// The query parameter's value; empty if it is missing.
  std::string parameter(std::string_view name) const {
    auto found = query.find(name);
    return found == query.end() ? std::string() : found->second;
  }
  /// Whether the query parameter is present and neither "0" nor "false", as the API server reads a boolean.
  bool is_true(std::string_view name) const {
    const std::string value = parameter(name);
    return query.contains(name) && value != "0" && value != "false";
  }
};

/// A body that is not complete when its response starts: a watch or a followed log. The connection asks for
/// the next piece only when it has sent the last one, so a slow client never makes the server hold much.
class BodySource {
 public:
  enum class Next { more, wait, end };
  virtual ~BodySource() = default;

  /// Appends the next piece, of about 64 KiB at most. Returns `wait` if no data is available yet, and calls
  /// on_ready when some is.
  virtual Next read(std::string& piece) = 0;

  std::function<void()> on_ready;  ///< set by the server before the first read
};

/// A WebSocket, as seen by its session.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  /// Sends one binary message, which is kept until the client reads it: check unsent() before sending more.
  virtual void send(std::string_view payload) = 0;
  /// The number of queued bytes that have not been sent yet.
  virtual size_t unsent() const = 0;
  /// Starts or stops reading messages. Messages that were already received may still be delivered.
  virtual void read_more(bool wanted) = 0;
  /// Closes the connection after everything queued has been sent. Of the session's callbacks, only
  /// on_closed() is called after this.
  virtual void close() = 0;
};

/// The server's end of a WebSocket. It is destroyed, with everything that it owns, when the connection ends.
class SocketSession {
 public:
  virtual ~SocketSession() = default;

  virtual void on_open() = 0;
  virtual void on_message(std::string_view payload) = 0;
  /// Called when some of the queued bytes have been sent.
  virtual void on_sent() = 0;
  /// Called at the connection's end. The socket must not be used any more, and the session is destroyed soon.
  /// Never called inside a call that the session makes to the socket: a failed send ends the connection
  /// later.
  virtual void on_closed() = 0;

  WebSocket* socket = nullptr;  ///< set by the server before on_open()
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::unique_ptr<BodySource> stream = {};  ///< instead of a body
  /// If the status is 101: the session that takes over the connection, and its subprotocol.
  std::unique_ptr<SocketSession> session = {};
  std::string protocol = {};
  /// Warnings that clients show to their users (RFC 7234, code 299).
  std::vector<std::string> warnings = {};
  std::string allow = {};  ///< the header Allow of a 405
};

}  // namespace kml::local
