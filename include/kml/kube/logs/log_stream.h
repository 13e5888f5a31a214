#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/kube/client/client.h"

namespace kml::kube {

/// A line of a container's log, or a piece of a line. Lines longer than kLongestPiece come in pieces, and so
/// do redrawn ones. The views are valid until the callback returns.
struct LogText {
  Time time;               ///< from the kubelet; if it gave none, the time of the line before
  std::string_view stamp;  ///< the text of the time as the kubelet wrote it; empty if it gave none
  std::string_view text;   ///< any bytes, without timestamp and newline
  bool begins = true;      ///< this is the first piece of a line
  bool ends = true;        ///< this is the last piece of a line
};

inline constexpr size_t kLongestPiece = size_t{32} << 10;

/// Where lines are cut into pieces.
enum class LogCut {
  long_lines,  ///< after kLongestPiece bytes
  redraws,     ///< also after each '\r', so that a progress bar is shown before its newline is written
};

/// Callbacks of a log stream. They run inside Transport::wait, accept() or finish(), and may destroy the
/// stream.
struct LogStreamHandler {
  /// New lines, all that have arrived together.
  std::function<void(std::span<const LogText>)> on_lines;
  /// The part of the next line or piece that has arrived so far. Called again each time it grows, until
  /// on_lines gets it as a whole. Use it only for display, because it may start again. The text may be empty.
  std::function<void(const LogText&)> on_unfinished = {};
  /// A response to a repeated request had a new line but none of the lines already passed on. Either the log
  /// was rotated in the meantime, which loses the lines between, or the container was restarted and this is
  /// the log of its next run. The stream pauses until accept() or ask() is called.
  std::function<void()> on_doubt;
  /// The container was not restarted. Any lines between these two times can no longer be read.
  std::function<void(Time last, Time next)> on_gap;
  /// kml's own server reports that lines are missing at this place: how many bytes, and why. Never called
  /// before the first line.
  std::function<void(std::string_view text)> on_lost;
  /// The response has ended properly. The container may still be running. The owner checks the pod, and calls
  /// ask() again or finish().
  std::function<void()> on_end;
  /// The response was an error (e.g. 400 while the container waits), it contained a failure of the kubelet as
  /// text, or the connection broke too often. The owner decides whether to ask again.
  std::function<void(const Error&)> on_failure;
};

/// The log of one run of one container, without missing or repeated lines, over any number of requests. Each
/// request asks for timestamps and starts just before the last line that was read; lines already passed on
/// are dropped. If a connection breaks, the stream opens it again.
class LogStream {
 public:
  virtual ~LogStream() = default;
  /// Records a line that an earlier process has already printed. Call it before the first ask().
  virtual void recall(Time time, std::string_view text) = 0;
  /// Sends a request. The first one follows `options`; later ones start at the last line. Timestamps are
  /// always requested, whatever `options.timestamps` says.
  virtual void ask(LogOptions options) = 0;
  /// Continues after on_doubt; the container was not restarted.
  virtual void accept() = 0;
  /// Whether the last response had none of the lines already passed on, although it should have started with
  /// them: the log was rotated. Call it in on_end. on_doubt does not report this case, because no new line
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
