#include "kube/client/renewing_transport.h"

#include <utility>
#include <vector>

namespace kml::kube {

namespace {

constexpr int kUnauthorized = 401;

/// A stream that is opened once more if the server rejects the first request with 401.
class Attempts : public std::enable_shared_from_this<Attempts> {
 public:
  Attempts(http::Transport& transport, http::Request request, http::StreamHandler handler)
      : transport_(transport), request_(std::move(request)), handler_(std::move(handler)) {}

  void open() {
    const std::weak_ptr<Attempts> weak = weak_from_this();
    stream_ = transport_.stream(request_, {.on_headers =
                                               [weak](const http::Response& response) {
                                                 if (const auto self = weak.lock()) self->begin(response);
                                               },
                                           .on_data =
                                               [weak](std::string_view data) {
                                                 const auto self = weak.lock();
                                                 return self && self->handler_.on_data(data);
                                               },
                                           .on_end =
                                               [weak](const http::Response& response, const Error* broken) {
                                                 if (const auto self = weak.lock())
                                                   self->end(response, broken);
                                               }});
    if (is_paused_) stream_->pause(true);
  }

  void pause(bool on) {
    is_paused_ = on;
    stream_->pause(on);
  }

 private:
  bool is_to_be_repeated(const http::Response& response) const {
    return response.status == kUnauthorized && !was_refused_;
  }

  void begin(const http::Response& response) {
    if (handler_.on_headers && !is_to_be_repeated(response)) handler_.on_headers(response);
  }

  void end(const http::Response& response, const Error* broken) {
    if (broken || !is_to_be_repeated(response)) return handler_.on_end(response, broken);
    was_refused_ = true;
    open();
  }

  http::Transport& transport_;
  const http::Request request_;
  const http::StreamHandler handler_;
  bool is_paused_ = false, was_refused_ = false;
  std::unique_ptr<http::Stream> stream_;
};

class RenewedStream : public http::Stream {
 public:
  explicit RenewedStream(std::shared_ptr<Attempts> attempts) : attempts_(std::move(attempts)) {
    attempts_->open();
  }
  void pause(bool on) override { attempts_->pause(on); }

 private:
  std::shared_ptr<Attempts> attempts_;
};

class RenewingTransport : public http::Transport {
 public:
  explicit RenewingTransport(http::Transport& transport) : transport_(transport) {}

  http::Response send(const http::Request& request) override {
    http::Response response = transport_.send(request);
    return response.status == kUnauthorized ? transport_.send(request) : response;
  }

  void send_all(std::span<const http::Request> requests,
                std::function<void(size_t, const http::Response*, const Error*)> on_answer) override {
    std::vector<size_t> refused;
    transport_.send_all(requests, [&](size_t index, const http::Response* response, const Error* error) {
      if (response && response->status == kUnauthorized)
        refused.push_back(index);
      else
        on_answer(index, response, error);
    });
    if (refused.empty()) return;
    std::vector<http::Request> again;
    for (const size_t index : refused) again.push_back(requests[index]);
    transport_.send_all(again, [&](size_t number, const http::Response* response, const Error* error) {
      on_answer(refused[number], response, error);
    });
  }

  std::unique_ptr<http::Stream> stream(http::Request request, http::StreamHandler handler) override {
    return std::make_unique<RenewedStream>(
        std::make_shared<Attempts>(transport_, std::move(request), std::move(handler)));
  }

  std::unique_ptr<http::Connection> upgrade(http::Request request, http::ConnectionHandler handler) override {
    return transport_.upgrade(std::move(request), std::move(handler));
  }
  void connect_ahead() override { transport_.connect_ahead(); }
  std::unique_ptr<http::Timer> after(std::chrono::milliseconds delay, std::function<void()> call) override {
    return transport_.after(delay, std::move(call));
  }
  http::SteadyTime now() const override { return transport_.now(); }
  void wait(std::chrono::milliseconds timeout, std::span<const int> wake_fds) override {
    transport_.wait(timeout, wake_fds);
  }

 private:
  http::Transport& transport_;
};

}  // namespace

std::unique_ptr<http::Transport> renewing(http::Transport& transport) {
  return std::make_unique<RenewingTransport>(transport);
}

}  // namespace kml::kube
