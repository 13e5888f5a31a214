#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <unordered_map>

#include "kml/core/files.h"
#include "local/http/certificate.h"
#include "local/http/http_message.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// Ends the connections whose clients do not send a whole request in time: byte by byte they could hold them,
/// and with them the server's share of connections, for ever.
class RequestDeadlines {
 public:
  explicit RequestDeadlines(EventLoop& loop) : loop_(loop) {}
  ~RequestDeadlines();

  /// From now on the client has that long.
  void start(int socket, std::chrono::nanoseconds limit);
  /// The client has no time left.
  void end(int socket);
  /// A request is there, or the connection has ended.
  void stop(int socket);

 private:
  EventLoop& loop_;
  std::unordered_map<int, EventLoop::Timer> timers_;
};

/// 384 where 1,024 files may be open, as is usual; at most 4,096.
unsigned connections_by_open_files();

struct HttpLimits {
  /// At once; others wait. Two servers, and a log's file for each follow, stay below the limit of open files.
  unsigned connections = connections_by_open_files();
  /// For a whole request: from the connection's opening, and from the end of the answer before.
  std::chrono::milliseconds first_request = std::chrono::seconds(30);
  std::chrono::milliseconds next_request = std::chrono::seconds(120);
  /// Connections whose client has not shown yet that it is allowed in. A further one takes the place of the
  /// oldest: clients that open many and say nothing keep nobody out. 0: a quarter of all.
  unsigned strangers = 0;
};

/// HTTP(S) on one socket, inside the event loop (libmicrohttpd, HTTP/1.1).
/// Malformed requests get 400, bodies over 3 MiB get 413.
class HttpServer {
 public:
  /// As large as the API server accepts.
  static constexpr size_t kMaxBody = size_t{3} << 20;

  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  /// Sees the headers before any body is read; an answer with a status other than 200 refuses the request.
  using Gate = std::function<HttpResponse(const HttpRequest&)>;

  /// `listener` is a listening socket, non-blocking. Without an identity there is no TLS. Handlers must not
  /// throw.
  HttpServer(EventLoop& loop, Fd listener, const Identity* identity, Gate gate, Handler handler,
             const HttpLimits& limits = {});
  /// Ends all connections.
  ~HttpServer();

  /// From now on an answer for which `may_send` is false waits for send_held().
  void hold_answers_unless(std::function<bool()> may_send);
  void send_held();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A socket that listens on 127.0.0.1, at that port or, where it is taken or 0, at a free one.
Fd listen_on_loopback(int port);
int port_of(const Fd& listener);
/// A socket that listens at that path, for this user alone; empty if the path is too long for one, or
/// its file system takes none.
Fd listen_at(const std::filesystem::path& path);
/// Whether a server answers at that path within that time.
bool replies_at(const std::filesystem::path& path, std::chrono::seconds patience);
/// Whether a server answers at that path; one that only takes longer than that counts, too.
bool answers_at(const std::filesystem::path& path, std::chrono::seconds patience);

}  // namespace kml::local
