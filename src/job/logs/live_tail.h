#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "job/logs/log_context.h"
#include "kml/kube/client/remote_process.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// Shows the unfinished line of a container by attaching to its output, because a node writes a line to the
/// log only after its newline. Finished lines still come from the log, which loses none.
class LiveTail {
 public:
  /// `source` must outlive it.
  LiveTail(LogContext& context, const LogSource& source);

  /// Hides the live text before lines of the log are printed.
  void hide();
  /// Shows the live text again, unless the log's last line was this line.
  void show_after(const kube::LogText& last);

 private:
  void add(std::string_view bytes);
  void show();
  void failed(const Error& error);

  LogContext& context_;
  const LogSource& source_;
  std::string begun_;       ///< the unfinished line, since its last '\r'
  bool has_ended_ = false;  ///< its newline has arrived; it is shown until the log has the line
  bool is_inside_ = false;  ///< whether the log already has a part of the line
  bool is_shown_ = false;
  std::unique_ptr<http::Timer> removal_;
  std::unique_ptr<kube::RemoteProcess> process_;
};

}  // namespace kml::job
