#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "kml/local/http_message.h"

namespace kml::local {

/// Serves pages to browsers on 127.0.0.1, over HTTP without TLS, in the calling thread. The callbacks may
/// call the server's other functions, so that the program can wait for other things too.
class PageServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  /// Listens at the port; at any free port if it is 0. Throws Error if the port is in use.
  explicit PageServer(int port);
  ~PageServer();

  int port() const;
  /// Serves until SIGINT or SIGTERM. `gate` sees the headers of each request before its body is read; a
  /// status other than 200 rejects the request with that response. Neither `gate` nor `handler` may throw.
  void run(Handler gate, Handler handler);

  /// Calls back while the descriptor is readable or its other end is closed, until forget(fd).
  void watch(int fd, std::function<void()> callback);
  void forget(int fd);
  void after(std::chrono::milliseconds delay, std::function<void()> callback);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kml::local
