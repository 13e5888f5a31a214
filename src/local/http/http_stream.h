#pragma once

#include <microhttpd.h>

#include <functional>
#include <memory>
#include <unordered_set>

#include "kml/base/shared_library.h"
#include "kml/local/http_message.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// The functions of libmicrohttpd. It is only loaded when an HTTP server starts, because most commands need
/// none.
struct Microhttpd {
  SharedLibrary library{"libmicrohttpd.so.12", "libmicrohttpd12"};

// A declaration cannot stand in parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses)
#define KML_MHD(name) decltype(MHD_##name)* name = KML_FUNCTION(library, MHD_##name)
  KML_MHD(start_daemon);
  KML_MHD(stop_daemon);
  KML_MHD(run);
  KML_MHD(get_timeout);
  KML_MHD(get_daemon_info);
  KML_MHD(get_connection_info);
  KML_MHD(get_connection_values);
  KML_MHD(lookup_connection_value);
  KML_MHD(suspend_connection);
  KML_MHD(resume_connection);
  KML_MHD(create_response_from_buffer_with_free_callback_cls);
  KML_MHD(create_response_from_callback);
  KML_MHD(create_response_for_upgrade);
  KML_MHD(upgrade_action);
  KML_MHD(add_response_header);
  KML_MHD(queue_response);
  KML_MHD(destroy_response);
#undef KML_MHD
};

inline const Microhttpd& microhttpd() {
  static const Microhttpd loaded;
  return loaded;
}

}  // namespace kml::local

struct MHD_Connection;
struct MHD_Response;

namespace kml::local {

/// Responses whose bodies are sent piece by piece. While a response has no data to send, its connection is
/// suspended. The response ends when the client hangs up.
class HttpStreams {
 public:
  explicit HttpStreams(EventLoop& loop) : loop_(loop) {}

  /// Creates a chunked response that reads from the source and owns it.
  MHD_Response* response(MHD_Connection* connection, std::unique_ptr<BodySource> source);

  /// Called when libmicrohttpd must run again, because its epoll descriptor does not report this.
  std::function<void()> on_resumed;

  /// Makes each response end when it is next read. Must be called before libmicrohttpd is stopped.
  void end_all();

 private:
  class Stream;
  EventLoop& loop_;
  std::unordered_set<Stream*> streams_;
};

}  // namespace kml::local
