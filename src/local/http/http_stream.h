#pragma once

#include <functional>
#include <memory>
#include <unordered_set>

#include "local/http/http_message.h"
#include "local/loop/event_loop.h"

struct MHD_Connection;
struct MHD_Response;

namespace kml::local {

/// Responses whose bodies go on: their connections are suspended while there is nothing to send, and end when
/// the client hangs up.
class HttpStreams {
 public:
  explicit HttpStreams(EventLoop& loop) : loop_(loop) {}

  /// A chunked response that reads from the source and owns it.
  MHD_Response* response(MHD_Connection* connection, std::unique_ptr<BodySource> source);

  /// Called when libmicrohttpd has something to do again: its descriptor does not tell.
  std::function<void()> on_resumed;

  /// Makes each of them end at its next read; needed before libmicrohttpd can stop.
  void end_all();

 private:
  class Stream;
  EventLoop& loop_;
  std::unordered_set<Stream*> streams_;
};

}  // namespace kml::local
