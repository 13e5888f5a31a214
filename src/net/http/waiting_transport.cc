#include "kml/net/http/waiting_transport.h"

#include <utility>

#include "kml/base/waiting.h"
#include "kml/net/http/url_host.h"

namespace kml::http {

namespace {

class WaitingTransport final : public Transport {
 public:
  WaitingTransport(std::unique_ptr<Transport> inner, std::string what, std::string host)
      : inner_(std::move(inner)), what_(std::move(what)), host_(std::move(host)) {}

  Response send(const Request& request) override {
    const Waiting waiting(what_, host_);
    return inner_->send(request);
  }
  void send_all(std::span<const Request> requests,
                std::function<void(size_t, const Response*, const Error*)> on_answer) override {
    const Waiting waiting(what_, host_);
    inner_->send_all(requests, std::move(on_answer));
  }
  std::unique_ptr<Stream> stream(Request request, StreamHandler handler) override {
    return inner_->stream(std::move(request), std::move(handler));
  }
  std::unique_ptr<Connection> upgrade(Request request, ConnectionHandler handler) override {
    return inner_->upgrade(std::move(request), std::move(handler));
  }
  void connect_ahead() override { inner_->connect_ahead(); }
  std::unique_ptr<Timer> after(std::chrono::milliseconds delay, std::function<void()> call) override {
    return inner_->after(delay, std::move(call));
  }
  SteadyTime now() const override { return inner_->now(); }
  void wait(std::chrono::milliseconds timeout, std::span<const int> wake_fds) override {
    inner_->wait(timeout, wake_fds);
  }

 private:
  std::unique_ptr<Transport> inner_;
  const std::string what_, host_;
};

}  // namespace

std::unique_ptr<Transport> make_waiting_transport(Endpoint endpoint, std::string what) {
  std::string host = host_with_port(endpoint.url);
  return std::make_unique<WaitingTransport>(make_curl_transport(std::move(endpoint)), std::move(what),
                                            std::move(host));
}

}  // namespace kml::http
