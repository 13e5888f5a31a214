#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <unordered_map>

#include "kml/base/files.h"
#include "local/http/certificate.h"
#include "local/http/http_message.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// Closes the connections of clients that do not send a whole request in time. Otherwise a client that sends
/// one byte at a time could hold connections forever, until none is left for others.
class RequestDeadlines {
 public:
  explicit RequestDeadlines(EventLoop& loop) : loop_(loop) {}
  ~RequestDeadlines();

  /// Ends the connection after `limit`, unless stop() is called before.
  void start(int socket, std::chrono::nanoseconds limit);
  /// Ends the connection now.
  void end(int socket);
  /// Call when a request has arrived or the connection has ended.
  void stop(int socket);

 private:
  EventLoop& loop_;
  std::unordered_map<int, EventLoop::Timer> timers_;
};

/// Three eighths of the limit of open files, but 64 to 4,096: with the usual limit of 1,024 files, 384.
unsigned connections_by_open_files();

struct HttpLimits {
  /// Simultaneous connections; further ones wait. Two servers, with one open log file for each followed log,
  /// stay below the limit of open files.
  unsigned connections = connections_by_open_files();
  /// Time for a whole request, measured from the opening of the connection or the end of the last response.
  std::chrono::milliseconds first_request = std::chrono::seconds(30);
  std::chrono::milliseconds next_request = std::chrono::seconds(120);
  /// Connections whose clients have not yet been authenticated. One more ends the oldest of them, so clients
  /// that open many connections and send nothing cannot shut others out. 0: a quarter of `connections`.
  unsigned strangers = 0;
};

/// Serves HTTP or HTTPS on one socket, inside the event loop (libmicrohttpd, HTTP/1.1).
/// Malformed requests get 400, bodies over 3 MiB get 413.
class HttpServer {
 public:
  /// The API server's limit, in bytes.
  static constexpr size_t kMaxBody = size_t{3} << 20;

  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  /// Called with the headers before any body is read. A response with a status other than 200 rejects the
  /// request.
  using Gate = std::function<HttpResponse(const HttpRequest&)>;

  /// `listener` is a non-blocking socket that listens. Uses TLS only if `identity` is given. Handlers must
  /// not throw.
  HttpServer(EventLoop& loop, Fd listener, const Identity* identity, Gate gate, Handler handler,
             const HttpLimits& limits = {});
  /// Ends all connections.
  ~HttpServer();

  /// From now on, a response waits for send_held() if `may_send` returns false.
  void hold_answers_unless(std::function<bool()> may_send);
  void send_held();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns a socket that listens on 127.0.0.1 at `port`, or at a free port if `port` is 0 or taken.
Fd listen_on_loopback(int port);
int port_of(const Fd& listener);
/// Returns a socket that listens at that path, for this user only. Empty if the path is too long for a socket
/// or its file system does not support sockets.
Fd listen_at(const std::filesystem::path& path);
/// Whether a server replies to a request at that path within that time. If one listens there and only needs
/// longer, errno is EAGAIN.
bool replies_at(const std::filesystem::path& path, std::chrono::milliseconds patience);

}  // namespace kml::local
