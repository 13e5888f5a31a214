#include "support/fake_transport.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace kml {

class FakeTransport::Handle : public http::Stream {
 public:
  explicit Handle(std::shared_ptr<OpenStream> open) : open_(std::move(open)) {}
  ~Handle() override { open_->closed = true; }
  void pause(bool on) override { open_->paused = on; }

 private:
  std::shared_ptr<OpenStream> open_;
};

class FakeTransport::Alarm : public http::Timer {
 public:
  explicit Alarm(std::shared_ptr<std::function<void()>> call) : call_(std::move(call)) {}

 private:
  std::shared_ptr<std::function<void()>> call_;
};

FakeTransport::~FakeTransport() {
  for (const Entry& entry : stubs_)
    CHECK_MESSAGE(false, "unused stub: " << entry.method << " " << entry.target);
}

void FakeTransport::stub(const std::string& method, const std::string& target, Stub answer) {
  stubs_.push_back({method, target, std::move(answer)});
}

void FakeTransport::answer(const std::string& method, const std::string& target, const Json& body,
                           int status) {
  Json whole = body;
  if (body.is_object() && body.contains("items")) whole.emplace("kind", "List");
  if (method == "DELETE" && body.empty()) whole = {{"kind", "Status"}, {"status", "Success"}};
  stub(method, target, Stub{.status = status, .pieces = {whole.dump()}});
}

FakeTransport::Stub FakeTransport::break_connection(std::vector<std::string> pieces) {
  auto error = std::make_shared<Error>(ErrorCode::unreachable, "the connection broke");
  error->reason = http::kConnectionBroke;
  return {.pieces = std::move(pieces), .broken = std::move(error)};
}

FakeTransport::Stub FakeTransport::take(const http::Request& request) {
  const std::string path = request.path.substr(0, request.path.find('?'));
  if (request.path.find("sendInitialEvents=true") != std::string::npos &&
      std::none_of(stubs_.begin(), stubs_.end(),
                   [&](const Entry& entry) { return entry.target == request.path; }))
    return {.status = 422};
  requests.push_back(request);
  for (auto it = stubs_.begin(); it != stubs_.end(); ++it) {
    if (it->method != request.method || (it->target != request.path && it->target != path)) continue;
    Stub stub = std::move(it->stub);
    stubs_.erase(it);
    return stub;
  }
  throw std::runtime_error("no stub for " + request.method + " " + request.path);
}

http::Response FakeTransport::send(const http::Request& request) {
  Stub stub = take(request);
  if (stub.broken) throw *stub.broken;
  http::Response response{.status = stub.status, .headers = std::move(stub.headers), .body = {}};
  for (const std::string& piece : stub.pieces) response.body += piece;
  return response;
}

void FakeTransport::send_all(std::span<const http::Request> all,
                             std::function<void(size_t, const http::Response*, const Error*)> on_answer) {
  for (size_t i = 0; i < all.size(); ++i) {
    std::optional<Error> broken;
    http::Response response;
    try {
      response = send(all[i]);
    } catch (const Error& error) {
      broken = error;
    }
    on_answer(i, broken ? nullptr : &response, broken ? &*broken : nullptr);
  }
}

std::unique_ptr<http::Stream> FakeTransport::stream(http::Request request, http::StreamHandler handler) {
  auto open = std::make_shared<OpenStream>(OpenStream{take(request), std::move(handler)});
  streams_.push_back(open);
  return std::make_unique<Handle>(std::move(open));
}

class FakeTransport::Line : public http::Connection {
 public:
  Line(std::unique_ptr<http::Stream> stream, std::string& sent) : stream_(std::move(stream)), sent_(sent) {}
  void send(std::string_view bytes) override { sent_ += bytes; }
  size_t unsent() const override { return 0; }
  void pause(bool on) override { stream_->pause(on); }

 private:
  std::unique_ptr<http::Stream> stream_;
  std::string& sent_;
};

std::unique_ptr<http::Connection> FakeTransport::upgrade(http::Request request,
                                                         http::ConnectionHandler handler) {
  http::StreamHandler stream_handler{.on_headers =
                                         [on_open = handler.on_open](const http::Response& response) {
                                           if (response.status == 101 && on_open) on_open(response);
                                         },
                                     .on_data = handler.on_data,
                                     .on_end = handler.on_end};
  return std::make_unique<Line>(stream(std::move(request), std::move(stream_handler)), sent);
}

std::unique_ptr<http::Timer> FakeTransport::after(std::chrono::milliseconds delay,
                                                  std::function<void()> call) {
  auto shared = std::make_shared<std::function<void()>>(std::move(call));
  timers_.emplace(now_ + delay, shared);
  return std::make_unique<Alarm>(std::move(shared));
}

bool FakeTransport::deliver(const std::shared_ptr<OpenStream>& open) {
  Stub& stub = open->stub;
  http::Response response{.status = stub.status, .headers = stub.headers, .body = {}};
  const bool success = stub.status / 100 == 2 || stub.status == 101;
  if (open->handler.on_headers) std::exchange(open->handler.on_headers, nullptr)(response);
  const bool brings_something = !stub.pieces.empty();
  while (!stub.pieces.empty()) {
    if (open->closed || open->paused || open->pause_ends) return true;
    const std::string piece = std::move(stub.pieces.front());
    stub.pieces.erase(stub.pieces.begin());
    if (!success)
      response.body += piece;
    else if (!open->handler.on_data(piece))
      open->closed = true;
    if (stub.between.count() == 0) continue;
    open->pause_ends = std::make_shared<std::function<void()>>([&open = *open] { open.pause_ends.reset(); });
    timers_.emplace(now_ + stub.between, open->pause_ends);
  }
  if (open->closed || open->paused || open->pause_ends || stub.stays_open) return brings_something;
  open->closed = true;
  open->handler.on_end(response, stub.broken.get());
  return true;
}

void FakeTransport::wait(std::chrono::milliseconds timeout, std::span<const int>) {
  std::erase_if(streams_, [](const auto& open) { return open->closed; });
  for (const auto& open : std::list(streams_))
    if (!open->closed && !open->paused && !open->pause_ends && deliver(open)) return;
  std::erase_if(timers_, [](const auto& timer) { return timer.second.expired(); });
  const http::SteadyTime until = now_ + timeout;
  if (timers_.empty() || timers_.begin()->first > until) {
    now_ = until;
    return;
  }
  now_ = std::max(now_, timers_.begin()->first);
  if (const auto call = timers_.extract(timers_.begin()).mapped().lock()) (*call)();
}

void FakeTransport::run_for(std::chrono::milliseconds time) {
  const http::SteadyTime end = now_ + time;
  while (now_ < end) wait(std::chrono::ceil<std::chrono::milliseconds>(end - now_));
}

size_t FakeTransport::open_streams() const {
  size_t count = 0;
  for (const auto& open : streams_) count += !open->closed;
  return count;
}

}  // namespace kml
