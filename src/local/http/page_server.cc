#include "kml/local/page_server.h"

#include <signal.h>

#include <utility>

#include "kml/base/error.h"
#include "local/http/http_server.h"
#include "local/loop/event_loop.h"

namespace kml::local {

namespace {

Fd listen_at_port(int port) {
  Fd listener = listen_on_loopback(port);
  if (port != 0 && port_of(listener) != port)
    throw usage_error("cannot listen on port " + std::to_string(port),
                      "another program uses it, or you have no permission to use it",
                      "choose another port, or 0 for any free one");
  return listener;
}

}  // namespace

struct PageServer::State {
  explicit State(int asked) : listener(listen_at_port(asked)), port(port_of(listener)) {}

  EventLoop loop;
  Fd listener;
  int port;
};

PageServer::PageServer(int port) : state_(std::make_unique<State>(port)) {}
PageServer::~PageServer() = default;

int PageServer::port() const {
  return state_->port;
}

void PageServer::run(Handler gate, Handler handler) {
  EventLoop& loop = state_->loop;
  // A browser that closes its connection must not end the server.
  ::signal(SIGPIPE, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM}) loop.on_signal(signal, [&loop] { loop.stop(); });
  loop.on_failure(log_error);
  const HttpServer server(loop, std::move(state_->listener), nullptr, std::move(gate), std::move(handler));
  loop.run();
}

void PageServer::watch(int fd, std::function<void()> callback) {
  state_->loop.watch(fd, EPOLLIN, [callback = std::move(callback)](uint32_t) { callback(); });
}

void PageServer::forget(int fd) {
  state_->loop.forget(fd);
}

void PageServer::after(std::chrono::milliseconds delay, std::function<void()> callback) {
  state_->loop.after(delay, std::move(callback));
}

}  // namespace kml::local
