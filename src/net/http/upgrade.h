#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/http/exchange.h"
#include "net/http/send_queue.h"

namespace kml::http {

/// A connection without a request so far.
struct BareConnection {
  BareConnection(const Route& route, const Request& request)
      : pool(route.tls), exchange(route, pool, request, Exchange::Body::none) {}

  const SteadyTime begun = std::chrono::steady_clock::now();
  ConnectionPool pool;  ///< a pool for this connection alone: libcurl closes idle connections of a pool on
                        ///< which bytes have arrived
  Exchange exchange;
};

/// A connection that leaves HTTP by a 101. libcurl makes it, with its proxies and TLS (CURLOPT_CONNECT_ONLY);
/// the request and its answer are read and written here, since libcurl 7.88 sends nothing after a GET.
class Upgrade {
 public:
  /// Connects, unless `bare` has done so. Throws Error (unreachable).
  Upgrade(const Route& route, const Request& request, ConnectionHandler handler,
          std::unique_ptr<BareConnection> bare);

  /// Sends and receives as much as possible without waiting, and informs the owner. False if nothing was
  /// possible.
  bool progress(SteadyTime now);
  bool is_closed() const { return state_ == State::closed; }
  void close() { state_ = State::closed; }

  /// The events for which to call progress(), in the form of poll(). Empty while the stream is paused and
  /// has nothing to send.
  curl_waitfd wanted() const;
  /// The time by which the answer must have arrived.
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
  SendQueue queue_;     ///< begins with the request
  std::string answer_;  ///< its head, and what came with it
  size_t received_ = 0;
  Response response_;
  bool is_paused_ = false;
};

}  // namespace kml::http
