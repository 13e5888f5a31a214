#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "job/logs/log_context.h"
#include "kml/kube/client/remote_process.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// Shows a container's incomplete line. For this, it attaches to the container's output, because a node with
/// containerd writes a line to the log only once the line is complete. Complete lines still come from the
/// log, which loses no lines.
class LiveTail {
 public:
  /// `source` must outlive this object.
  LiveTail(LogContext& context, const LogSource& source);

  /// Hides the live text, so that lines of the log can be printed.
  void hide();
  /// Shows the live text again, unless it is the line that the log has just printed, `last`.
  void show_after(const kube::LogText& last);

 private:
  void add(std::string_view bytes);
  void show();
  void failed(const Error& error);

  LogContext& context_;
  const LogSource& source_;
  std::string begun_;       ///< the incomplete line, from its last '\r' on
  bool has_ended_ = false;  ///< the line is complete, and is shown until it appears in the log
  bool is_inside_ = false;  ///< whether a part of the line is already in the log
  bool is_shown_ = false;
  std::unique_ptr<http::Timer> removal_;
  std::unique_ptr<kube::RemoteProcess> process_;
};

}  // namespace kml::job
