#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <unordered_map>

#include "kml/base/files.h"
#include "kml/local/http_message.h"
#include "local/http/certificate.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// Closes the connections of clients that do not send a complete request in time. Otherwise, clients that
/// send one byte at a time could hold all connections forever.
class RequestDeadlines {
 public:
  explicit RequestDeadlines(EventLoop& loop) : loop_(loop) {}
  ~RequestDeadlines();

  /// Ends the connection after `limit`, unless stop() is called first.
  void start(int socket, std::chrono::nanoseconds limit);
  /// Ends the connection now.
  void end(int socket);
  /// Call this when a request has arrived or the connection has ended.
  void stop(int socket);

 private:
  EventLoop& loop_;
  std::unordered_map<int, EventLoop::Timer> timers_;
};

/// Three eighths of the limit for open files, but at most 4,096. With the usual limit of 1,024 files, this is
/// 384.
unsigned connections_by_open_files();

struct HttpLimits {
  /// Maximum number of simultaneous connections; more have to wait. By default, the connections of two
  /// servers use at most three quarters of the limit for open files.
  unsigned connections = connections_by_open_files();
  /// How long a complete request may take, measured from the opening of the connection or the end of the last
  /// response.
  std::chrono::milliseconds first_request = std::chrono::seconds(30);
  std::chrono::milliseconds next_request = std::chrono::seconds(120);
  /// Maximum number of connections whose clients are not authenticated yet. If there is one more, the oldest
  /// is closed, so that clients that open many connections and send nothing cannot lock out others. 0 means a
  /// quarter of `connections`.
  unsigned strangers = 0;
};

/// Serves HTTP or HTTPS on one socket in the event loop, with libmicrohttpd (HTTP/1.1). A malformed request
/// gets 400; a body above 3 MiB gets 413.
class HttpServer {
 public:
  /// The maximum size of a body in bytes, as in the API server.
  static constexpr size_t kMaxBody = size_t{3} << 20;

  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  /// Called with the headers, before any body is read. If the returned status is not 200, the request is
  /// rejected with that response.
  using Gate = std::function<HttpResponse(const HttpRequest&)>;

  /// `listener` is a non-blocking, listening socket. Uses TLS if `identity` is given. Handlers must not
  /// throw.
  HttpServer(EventLoop& loop, Fd listener, const Identity* identity, Gate gate, Handler handler,
             const HttpLimits& limits = {});
  /// Ends all connections.
  ~HttpServer();

  /// After this call, responses wait for send_held() whenever `may_send` returns false.
  void hold_answers_unless(std::function<bool()> may_send);
  void send_held();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns a socket that listens on 127.0.0.1 at `port`; if `port` is 0 or in use, at any free port.
Fd listen_on_loopback(int port);
int port_of(const Fd& listener);
/// Returns a socket that listens at that path, and that only this user can connect to. Empty if that fails,
/// for example because the path is too long for a socket.
Fd listen_at(const std::filesystem::path& path);
/// Whether a server replies to a request at that path in time. If a server listens but needs longer, errno is
/// EAGAIN.
bool replies_at(const std::filesystem::path& path, std::chrono::milliseconds patience);

}  // namespace kml::local
