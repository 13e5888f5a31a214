#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kml/kube/client.h"

namespace kml::kube {

/// What a followed log tells its owner. Callbacks run inside Transport::wait, and may destroy the stream.
struct LogStreamHandler {
  /// One line without its newline and timestamp. `time` is the kubelet's stamp ("" where a line has none). A
  /// line of more than 1 MiB comes in pieces of that length.
  std::function<void(std::string_view time, std::string_view line)> on_line;
  /// The stream has ended cleanly. That does not mean that the container has: the owner looks at the pod, and
  /// calls resume() if it still runs, else finish().
  std::function<void()> on_end;
  /// The answer was an error, e.g. 400 while the container waits, or the connection broke too often; the
  /// owner decides whether to resume().
  std::function<void(const Error&)> on_failure;
};

/// Follows the log of one container of one pod, and loses and doubles nothing over reconnects: it always asks
/// for timestamps, resumes just before the last line, and drops what it has seen. A connection that broke is
/// opened again by itself.
class LogStream {
 public:
  virtual ~LogStream() = default;
  /// Asks again, from the last line on.
  virtual void resume() = 0;
  /// Hands on a last line that had no newline.
  virtual void finish() = 0;
};

/// `client` must outlive the result. `options.follow` and `options.timestamps` are taken as true.
std::unique_ptr<LogStream> follow_log(Client& client, std::string namespace_name, std::string pod,
                                      LogOptions options, LogStreamHandler handler);

}  // namespace kml::kube
