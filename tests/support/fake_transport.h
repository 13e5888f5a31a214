#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/net/http/transport.h"

namespace kml {

/// A Transport without a network. Each stub answers one request; stubs for the same method and path are used
/// in the order in which they were added. A request without a stub throws, and the destructor reports unused
/// stubs. Like an API server that cannot stream lists, it does not stream a list, unless a stub has exactly
/// this path and query. Time stands still except in wait(), which advances at once to the next timer or to
/// its timeout.
class FakeTransport : public http::Transport {
 public:
  /// The response to one request. `pieces` are the parts of the body in which a stream receives it.
  struct Stub {
    int status = 200;
    std::vector<std::string> pieces = {};
    std::multimap<std::string, std::string> headers = {};  ///< names in lower case
    /// How the response ends. A request gets this error instead of a response; a stream ends with it. nullptr
    /// means that it ends properly.
    std::shared_ptr<Error> broken = {};
    bool stays_open = false;               ///< the stream sends nothing more, but does not end
    std::chrono::milliseconds between{0};  ///< the time between two pieces of a stream
  };

  ~FakeTransport() override;

  /// `target` is the whole path with its query, or only the path, which matches any query.
  void stub(const std::string& method, const std::string& target, Stub answer);
  /// Stubs a response. A list without a kind gets one. An empty response to a deletion is replaced by what a
  /// server usually returns.
  void answer(const std::string& method, const std::string& target, const Json& body, int status = 200);
  /// A stub for a connection that breaks instead of sending a response.
  static Stub break_connection(std::vector<std::string> pieces = {});

  std::vector<http::Request> requests;  ///< all requests received, including streams, except rejected lists
  std::string sent;                     ///< the bytes sent over all connections

  http::Response send(const http::Request& request) override;
  void send_all(std::span<const http::Request> requests,
                std::function<void(size_t, const http::Response*, const Error*)> on_answer) override;
  std::unique_ptr<http::Stream> stream(http::Request request, http::StreamHandler handler) override;
  /// Works like a stream. If the server agrees, the status of its stub must be 101.
  std::unique_ptr<http::Connection> upgrade(http::Request request, http::ConnectionHandler handler) override;
  std::unique_ptr<http::Timer> after(std::chrono::milliseconds delay, std::function<void()> call) override;
  http::SteadyTime now() const override { return now_; }
  void wait(std::chrono::milliseconds timeout, std::span<const int> wake_fds = {}) override;

  /// Lets this time pass in total, whatever happens in between.
  void run_for(std::chrono::milliseconds time);
  /// The number of streams that have neither ended nor been destroyed.
  size_t open_streams() const;

 private:
  struct Entry {
    std::string method, target;
    Stub stub;
  };
  struct OpenStream {
    Stub stub;
    http::StreamHandler handler;
    bool closed = false;
    bool paused = false;
    /// set while the stream waits between two pieces; calling it ends the wait
    std::shared_ptr<std::function<void()>> pause_ends = {};
  };
  class Handle;
  class Line;
  class Alarm;

  Stub take(const http::Request& request);
  bool deliver(const std::shared_ptr<OpenStream>& open);

  std::list<Entry> stubs_;
  std::list<std::shared_ptr<OpenStream>> streams_;
  std::multimap<http::SteadyTime, std::weak_ptr<std::function<void()>>> timers_;
  http::SteadyTime now_{std::chrono::hours(1000)};
};

}  // namespace kml
