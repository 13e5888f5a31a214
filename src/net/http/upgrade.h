#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/http/exchange.h"
#include "net/http/send_queue.h"

namespace kml::http {

/// A connection on which no request was sent yet.
struct BareConnection {
  BareConnection(const Route& route, const Request& request)
      : pool(route.tls), exchange(route, pool, request, Exchange::Body::none) {}

  const SteadyTime begun = std::chrono::steady_clock::now();
  /// a pool for this connection alone, because libcurl closes a pool's idle connections if bytes arrive on
  /// them
  ConnectionPool pool;
  Exchange exchange;
};

/// A connection that changes from HTTP to another protocol with status 101. libcurl makes the connection,
/// with proxies and TLS (CURLOPT_CONNECT_ONLY). The request and its response are written and read here,
/// because libcurl 7.88 cannot send anything after a GET.
class Upgrade {
 public:
  /// Connects, unless there is already a connection in `bare`. Throws Error (unreachable).
  Upgrade(const Route& route, const Request& request, ConnectionHandler handler,
          std::unique_ptr<BareConnection> bare);

  /// Sends and receives as much as possible without waiting, and informs the owner. Returns false if nothing
  /// was possible.
  bool progress(SteadyTime now);
  bool is_closed() const { return state_ == State::closed; }
  void close() { state_ = State::closed; }

  /// The events for which progress() must be called, as for poll(). Empty while the stream is paused and has
  /// nothing to send.
  curl_waitfd wanted() const;
  /// When the response must have arrived.
  SteadyTime due() const {
    return state_ == State::asked || state_ == State::refused ? due_ : SteadyTime::max();
  }

  void send(std::string_view bytes) { queue_.add(bytes); }
  size_t unsent() const { return queue_.size(); }
  void pause(bool on) { is_paused_ = on; }

 private:
  enum class State { asked, open, refused, closed };

  void connect();
  bool flush();
  bool receive();
  bool count_received(size_t more);
  void take(std::string_view bytes);
  void take_answer();
  void end(const Error* broken);
  void break_off(CURLcode code);

  CURL* handle() const { return bare_->exchange.handle(); }

  const CurlLibrary& curl_ = curl_library();
  std::unique_ptr<BareConnection> bare_;
  ConnectionHandler handler_;
  std::function<void()> on_unauthorized_;
  std::string server_;
  SteadyTime due_;
  State state_ = State::asked;
  SendQueue queue_;     ///< bytes to send, starting with the request
  std::string answer_;  ///< the start of the response, with all bytes that arrived with it
  size_t received_ = 0;
  Response response_;
  bool is_paused_ = false;
};

}  // namespace kml::http
