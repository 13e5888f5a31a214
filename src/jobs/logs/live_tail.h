#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "jobs/logs/log_context.h"
#include "kml/kube/logs/log_stream.h"
#include "kml/kube/remote_process.h"

namespace kml::jobs {

/// Shows the line that a container has begun, by attaching to its output: a node writes a line to the log
/// only when its newline comes. The lines themselves still come from the log, which loses none.
class LiveTail {
 public:
  /// `source` must outlive it.
  LiveTail(LogContext& context, const LogSource& source);

  /// Takes what is shown away, before lines of the log are handed on.
  void hide();
  /// Shows it again, unless it is of the line that the log brought last.
  void show_after(const kube::LogText& last);

 private:
  void add(std::string_view bytes);
  void show();
  void failed(const Error& error);

  LogContext& context_;
  const LogSource& source_;
  std::string begun_;       ///< of the line, since its last '\r'
  bool has_ended_ = false;  ///< its newline has come; it is shown until the log brings it
  bool is_inside_ = false;  ///< the log has brought a part of the line
  bool is_shown_ = false;
  std::unique_ptr<http::Timer> removal_;
  std::unique_ptr<kube::RemoteProcess> process_;
};

}  // namespace kml::jobs
