#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/kube/client/client.h"

namespace kml::kube {

/// A line of a container's log, or a piece of a line. Lines longer than kLongestPiece arrive in pieces, and
/// so do lines with '\r' if they are cut there (LogCut). The views are valid until the callback returns.
struct LogText {
  Time time;               ///< the time from the kubelet; if it sent no time, the time of the previous line
  std::string_view stamp;  ///< the time exactly as the kubelet wrote it; empty if it sent none
  std::string_view text;   ///< any bytes, without timestamp and newline
  bool begins = true;      ///< whether this is the first piece of a line
  bool ends = true;        ///< whether this is the last piece of a line
};

inline constexpr size_t kLongestPiece = size_t{32} << 10;

/// The places at which lines are cut into pieces.
enum class LogCut {
  long_lines,  ///< after kLongestPiece bytes
  /// after kLongestPiece bytes and after each '\r', so that a progress bar is shown before its newline is
  /// written
  redraws,
};

/// Callbacks of a log stream. They run inside Transport::wait, accept() or finish(), and may destroy the
/// stream.
struct LogStreamHandler {
  /// Receives new lines: all those that have arrived together.
  std::function<void(std::span<const LogText>)> on_lines;
  /// Receives the part of the next line or piece that has arrived so far. Called each time that part grows,
  /// until on_lines receives the whole. Use the text only for display, because the line may start again from
  /// its beginning. The text may be empty.
  std::function<void(const LogText&)> on_unfinished = {};
  /// Called if the response to a repeated request contains none of the lines already passed on, although it
  /// contains a later line. Either the log was rotated, and the lines in between are lost, or the container
  /// was restarted and this is the log of its next run. The stream pauses until accept() or ask() is called.
  std::function<void()> on_doubt;
  /// Called if the container was not restarted, but any lines between these two times can no longer be read.
  std::function<void(Time last, Time next)> on_gap;
  /// Called when the embedded server reports that lines are missing at this place in the log. `text` says how
  /// many bytes, and why.
  std::function<void(std::string_view text)> on_lost;
  /// Called when the response has ended properly. The container may still be running. The owner checks the
  /// pod, and calls ask() again or finish().
  std::function<void()> on_end;
  /// Called if the response was an error (e.g. 400 while the container waits), if it contained the text of a
  /// kubelet failure, or if the connection broke too often. The owner decides whether to ask again.
  std::function<void(const Error&)> on_failure;
};

/// The log of one run of one container, without missing or repeated lines, over any number of requests. Each
/// request asks for timestamps and starts just before the last line that was read; lines already passed on
/// are dropped. If a connection breaks, the stream opens it again.
class LogStream {
 public:
  virtual ~LogStream() = default;
  /// Records a line that an earlier process has already printed. Call this before the first ask().
  virtual void recall(Time time, std::string_view text) = 0;
  /// Sends a request. The first one follows `options`; later ones start at the last line. Timestamps are
  /// always requested, whatever `options.timestamps` says.
  virtual void ask(LogOptions options) = 0;
  /// Continues after on_doubt, if the container was not restarted.
  virtual void accept() = 0;
  /// Whether the last response had none of the lines already passed on, although it should have started with
  /// them: the log was rotated. Call this in on_end. on_doubt does not report this case, because no new line
  /// arrived.
  virtual bool lost_track() const = 0;
  /// While the stream is paused, it calls no callback.
  virtual void pause(bool on) = 0;
  /// Passes on a last line without newline, and ends the stream.
  virtual void finish() = 0;
};

/// `client` must outlive the result.
std::unique_ptr<LogStream> make_log_stream(Client& client, std::string namespace_name, std::string pod,
                                           LogStreamHandler handler, LogCut cut = LogCut::long_lines);

}  // namespace kml::kube
