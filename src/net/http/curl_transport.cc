#include <algorithm>
#include <map>
#include <set>

#include "kml/net/http/transport.h"
#include "net/http/exchange.h"
#include "net/http/upgrade.h"
#include "net/http/warning.h"

namespace kml::http {

namespace {

using std::chrono::milliseconds;

/// The number of requests that send_all() has open at the same time.
constexpr size_t kWindow = 32;
/// A connection from connect_ahead() that is older than this is not used, because servers and proxies close
/// idle connections.
constexpr milliseconds kLongestUnused = std::chrono::seconds(5);
constexpr milliseconds kLongestPoll = std::chrono::hours(1);
/// After this time, kml reports that the embedded server does not respond. Only that server has a local
/// socket.
constexpr milliseconds kPatience = std::chrono::seconds(2);
constexpr const char* kSilence =
    "the embedded server does not respond; waiting for it (see `kml local status`)";

struct OpenStream {
  std::unique_ptr<Exchange> exchange;  ///< the request of the stream; empty once the stream is closed
  StreamHandler handler;
  std::function<void()> on_no_connection;
  SteadyTime begun;
  bool announced = false;
  bool paused = false;

  bool deliver(std::string& data);

 private:
  /// Calls on_no_connection() if kml could not connect. Returns the error of the stream. If
  /// on_no_connection() throws an Error (unreachable), returns that one, because it explains better why no
  /// server is available.
  std::optional<Error> asked_for_server(std::optional<Error> error) const;
};

std::optional<Error> OpenStream::asked_for_server(std::optional<Error> error) const {
  if (!error || error->reason != kNoConnection || !on_no_connection) return error;
  try {
    on_no_connection();
  } catch (const Error& told) {
    if (told.code != ErrorCode::unreachable) throw;
    return told;
  }
  return error;
}

/// Passes new data to the owner. `data` is a buffer to use. Any callback may close the stream.
bool OpenStream::deliver(std::string& data) {
  bool progress = false;
  if (exchange->has_headers() && !announced) {
    announced = progress = true;
    if (handler.on_headers) handler.on_headers(exchange->response());
  }
  if (exchange && !paused && announced && exchange->succeeded()) {
    exchange->take_data(data);
    if (!data.empty()) {
      progress = true;
      if (!handler.on_data(data)) exchange.reset();
    }
  }
  if (exchange && !paused && exchange->done()) {
    progress = true;
    const std::unique_ptr<Exchange> ended = std::move(exchange);
    const std::optional<Error> error = asked_for_server(ended->error());
    handler.on_end(ended->response(), error ? &*error : nullptr);
  }
  return progress;
}

class CurlStream : public Stream {
 public:
  explicit CurlStream(std::shared_ptr<OpenStream> open) : open_(std::move(open)) {}
  ~CurlStream() override { open_->exchange.reset(); }
  void pause(bool on) override { open_->paused = on; }

 private:
  std::shared_ptr<OpenStream> open_;
};

class CurlConnection : public Connection {
 public:
  explicit CurlConnection(std::shared_ptr<Upgrade> upgrade) : upgrade_(std::move(upgrade)) {}
  ~CurlConnection() override { upgrade_->close(); }
  void send(std::string_view bytes) override { upgrade_->send(bytes); }
  size_t unsent() const override { return upgrade_->unsent(); }
  void pause(bool on) override { upgrade_->pause(on); }

 private:
  std::shared_ptr<Upgrade> upgrade_;
};

/// The caller owns the timer; the transport only checks whether it still exists.
class CurlTimer : public Timer {
 public:
  explicit CurlTimer(std::shared_ptr<std::function<void()>> call) : call_(std::move(call)) {}

 private:
  std::shared_ptr<std::function<void()>> call_;
};

class CurlTransport : public Transport {
 public:
  explicit CurlTransport(Endpoint endpoint) : route_(make_route(std::move(endpoint))), pool_(route_.tls) {}
  ~CurlTransport() override {
    for (const auto& open : streams_) open->exchange.reset();
  }

  Response send(const Request& request) override;
  void send_all(std::span<const Request> requests,
                std::function<void(size_t, const Response*, const Error*)> on_answer) override;
  std::unique_ptr<Stream> stream(Request request, StreamHandler handler) override;
  std::unique_ptr<Connection> upgrade(Request request, ConnectionHandler handler) override;
  void connect_ahead() override { ahead_ = std::make_unique<BareConnection>(route_, Request{}); }
  std::unique_ptr<Timer> after(milliseconds delay, std::function<void()> call) override;
  SteadyTime now() const override { return std::chrono::steady_clock::now(); }
  void wait(milliseconds timeout, std::span<const int> wake_fds) override;

 private:
  Response send_once(const Request& request);
  void perform();
  void forget_old_connection();
  void poll_until(SteadyTime time, std::span<const int> wake_fds = {});
  bool deliver();
  bool fire_timers();
  void tell_warnings(const Response& response);
  void tell_silence(SteadyTime since);
  SteadyTime next_silence(SteadyTime since) const;
  SteadyTime next_event() const;

  const CurlLibrary& curl_ = curl_library();
  Route route_;
  ConnectionPool pool_;
  std::unique_ptr<BareConnection> ahead_;
  std::vector<std::shared_ptr<OpenStream>> streams_;
  std::vector<std::shared_ptr<Upgrade>> connections_;
  std::multimap<SteadyTime, std::weak_ptr<std::function<void()>>> timers_;
  std::set<std::string> told_;  ///< warnings that were already passed on
  std::string data_;            ///< a buffer that all streams reuse
};

void CurlTransport::perform() {
  forget_old_connection();
  if (ahead_) ahead_->pool.perform([](Exchange&) {});
  pool_.perform([&](Exchange& exchange) {
    if (exchange.response().status == 401 && route_.endpoint.on_unauthorized)
      route_.endpoint.on_unauthorized();
    if (route_.endpoint.on_warning) tell_warnings(exchange.response());
  });
  pool_.begin_waiting();
}

void CurlTransport::forget_old_connection() {
  if (ahead_ && now() - ahead_->begun > kLongestUnused) ahead_.reset();
}

void CurlTransport::tell_warnings(const Response& response) {
  const auto [begin, end] = response.headers.equal_range("warning");
  for (auto header = begin; header != end; ++header)
    for (const std::string& text : warnings_in(header->second))
      if (told_.insert(text).second) route_.endpoint.on_warning(text);
}

/// When to report that the embedded server does not respond; never if that was already reported.
SteadyTime CurlTransport::next_silence(SteadyTime since) const {
  const bool is_told = told_.contains(kSilence) || !route_.endpoint.on_warning;
  return route_.socket.empty() || is_told ? SteadyTime::max() : since + kPatience;
}

void CurlTransport::tell_silence(SteadyTime since) {
  if (now() >= next_silence(since) && told_.insert(kSilence).second) route_.endpoint.on_warning(kSilence);
}

void CurlTransport::poll_until(SteadyTime time, std::span<const int> wake_fds) {
  std::vector<curl_waitfd> fds;
  for (int fd : wake_fds) fds.push_back({.fd = fd, .events = CURL_WAIT_POLLIN, .revents = 0});
  for (const auto& connection : connections_)
    if (const curl_waitfd wanted = connection->wanted(); wanted.events != 0) fds.push_back(wanted);
  if (ahead_ && !ahead_->exchange.done()) ahead_->pool.add_wanted(fds);
  const SteadyTime begin = now();
  time = std::clamp(time, begin, begin + kLongestPoll);
  const auto limit = static_cast<int>(std::chrono::ceil<milliseconds>(time - begin).count());
  int ready = 0;
  if (CURLMcode code =
          curl_.multi_poll(pool_.multi(), fds.data(), static_cast<unsigned>(fds.size()), limit, &ready);
      code != CURLM_OK)
    throw Error(ErrorCode::failure, "libcurl failed", curl_.multi_strerror(code));
}

Response CurlTransport::send(const Request& request) {
  try {
    return send_once(request);
  } catch (const Error& error) {
    if (error.reason != kNoConnection || !route_.endpoint.on_no_connection) throw;
  }
  route_.endpoint.on_no_connection();
  return send_once(request);
}

Response CurlTransport::send_once(const Request& request) {
  Exchange exchange(route_, pool_, request, Exchange::Body::whole);
  const SteadyTime begun = now();
  for (;;) {
    perform();
    exchange.check_due(now());
    if (exchange.done()) break;
    poll_until(std::min(exchange.due(), next_silence(begun)));
    tell_silence(begun);
  }
  if (exchange.error()) throw *exchange.error();
  return std::move(exchange.response());
}

void CurlTransport::send_all(std::span<const Request> requests,
                             std::function<void(size_t, const Response*, const Error*)> on_answer) {
  std::map<size_t, std::unique_ptr<Exchange>> open;
  size_t next = 0;
  SteadyTime silent_since = now();
  while (next < requests.size() || !open.empty()) {
    for (; next < requests.size() && open.size() < kWindow; ++next)
      open[next] = std::make_unique<Exchange>(route_, pool_, requests[next], Exchange::Body::whole);
    perform();
    bool progress = false;
    SteadyTime due = SteadyTime::max();
    for (auto it = open.begin(); it != open.end();) {
      it->second->check_due(now());
      if (!it->second->done()) {
        due = std::min(due, it++->second->due());
        continue;
      }
      progress = true;
      silent_since = now();
      const auto ended = open.extract(it++);
      const std::optional<Error>& error = ended.mapped()->error();
      on_answer(ended.key(), error ? nullptr : &ended.mapped()->response(), error ? &*error : nullptr);
    }
    if (!progress) poll_until(std::min(due, next_silence(silent_since)));
    tell_silence(silent_since);
  }
}

std::unique_ptr<Stream> CurlTransport::stream(Request request, StreamHandler handler) {
  auto open = std::make_shared<OpenStream>();
  open->exchange = std::make_unique<Exchange>(route_, pool_, request, Exchange::Body::streamed);
  open->handler = std::move(handler);
  open->begun = now();
  open->on_no_connection = route_.endpoint.on_no_connection;
  streams_.push_back(open);
  return std::make_unique<CurlStream>(std::move(open));
}

std::unique_ptr<Connection> CurlTransport::upgrade(Request request, ConnectionHandler handler) {
  std::shared_ptr<Upgrade> upgrade;
  forget_old_connection();
  std::unique_ptr<BareConnection> bare = std::move(ahead_);
  if (bare && bare->exchange.error()) bare.reset();
  try {
    upgrade = std::make_shared<Upgrade>(route_, request, handler, std::move(bare));
  } catch (const Error& error) {
    if (error.reason != kNoConnection || !route_.endpoint.on_no_connection) throw;
    route_.endpoint.on_no_connection();
    upgrade = std::make_shared<Upgrade>(route_, request, std::move(handler), nullptr);
  }
  connections_.push_back(upgrade);
  return std::make_unique<CurlConnection>(std::move(upgrade));
}

std::unique_ptr<Timer> CurlTransport::after(milliseconds delay, std::function<void()> call) {
  auto shared = std::make_shared<std::function<void()>>(std::move(call));
  timers_.emplace(now() + delay, shared);
  return std::make_unique<CurlTimer>(std::move(shared));
}

bool CurlTransport::fire_timers() {
  bool fired = false;
  const SteadyTime until = now();
  while (!timers_.empty() && timers_.begin()->first <= until) {
    const auto call = timers_.extract(timers_.begin()).mapped().lock();
    if (!call) continue;
    fired = true;
    (*call)();
  }
  return fired;
}

bool CurlTransport::deliver() {
  bool progress = fire_timers();
  std::erase_if(streams_, [](const auto& open) { return !open->exchange; });
  // Callbacks may open streams. Copying the list keeps the iterators valid, and keeps each stream alive
  // during its callbacks.
  for (const auto& open : std::vector(streams_)) {
    if (open->exchange) open->exchange->check_due(now());
    if (open->exchange && !open->exchange->has_headers()) tell_silence(open->begun);
    // A watch may last for hours, so its warnings are reported when its headers arrive.
    if (open->exchange && open->exchange->has_headers() && !open->announced && route_.endpoint.on_warning)
      tell_warnings(open->exchange->response());
    if (open->exchange && !open->paused && open->deliver(data_)) progress = true;
  }
  std::erase_if(connections_, [](const auto& connection) { return connection->is_closed(); });
  for (const auto& connection : std::vector(connections_))
    if (!connection->is_closed() && connection->progress(now())) progress = true;
  return progress;
}

SteadyTime CurlTransport::next_event() const {
  SteadyTime next = timers_.empty() ? SteadyTime::max() : timers_.begin()->first;
  for (const auto& open : streams_)
    if (open->exchange) {
      next = std::min(next, open->exchange->due());
      if (!open->exchange->has_headers()) next = std::min(next, next_silence(open->begun));
    }
  for (const auto& connection : connections_) next = std::min(next, connection->due());
  return next;
}

void CurlTransport::wait(milliseconds timeout, std::span<const int> wake_fds) {
  perform();
  if (deliver()) return;
  poll_until(std::min(next_event(), now() + std::min(timeout, kLongestPoll)), wake_fds);
  perform();
  deliver();
}

}  // namespace

std::unique_ptr<Transport> make_curl_transport(Endpoint endpoint) {
  return std::make_unique<CurlTransport>(std::move(endpoint));
}

}  // namespace kml::http
