#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kml::local {

/// The headers by which a client asks to leave HTTP; empty if they are missing.
struct UpgradeHeaders {
  std::string to = {};                       ///< "websocket", "SPDY/3.1"
  std::string key = {};                      ///< Sec-WebSocket-Key
  std::string version = {}, protocols = {};  ///< Sec-WebSocket-Version and -Protocol
};

struct HttpRequest {
  std::string method = {};
  std::string path = {};  ///< percent-decoded, without the query
  /// Percent-decoded; the first of a name counts.
  std::map<std::string, std::string, std::less<>> query = {};
  /// The same with all of a name, in their order.
  std::multimap<std::string, std::string, std::less<>> all_query = {};
  std::string content_type = {}, authorization = {}, accept = {};  ///< headers; empty if they are missing
  UpgradeHeaders upgrade = {};
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

/// A WebSocket, as its session sees it.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  /// One binary message. It is kept until the client reads: ask unsent() before making more.
  virtual void send(std::string_view payload) = 0;
  /// Bytes that wait for the client.
  virtual size_t unsent() const = 0;
  /// Whether further messages are read; those at hand may still come.
  virtual void read_more(bool wanted) = 0;
  /// After all that was sent. The session hears no more, except of the end.
  virtual void close() = 0;
};

/// What is spoken over a WebSocket. It ends, with what it holds, when the connection does.
class SocketSession {
 public:
  virtual ~SocketSession() = default;

  virtual void on_open() = 0;
  virtual void on_message(std::string_view payload) = 0;
  /// Some of what was sent has left.
  virtual void on_sent() = 0;
  /// The socket must not be used any more; the session is destroyed soon. Never called while the session
  /// itself calls the socket: a send that fails ends the connection later.
  virtual void on_closed() = 0;

  WebSocket* socket = nullptr;  ///< set by the server before on_open()
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::unique_ptr<BodySource> stream = {};  ///< instead of a body
  /// Of a 101: what follows on the connection, and the subprotocol that it speaks.
  std::unique_ptr<SocketSession> session = {};
  std::string protocol = {};
  /// Shown by clients to whoever asked (RFC 7234, code 299).
  std::vector<std::string> warnings = {};
  std::string allow = {};  ///< the header of a 405
};

}  // namespace kml::local
