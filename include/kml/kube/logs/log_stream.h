#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kml/core/clock.h"
#include "kml/kube/client.h"

namespace kml::kube {

/// A line of a container's log, or a piece of one that is longer than kLongestPiece, or redrawn. The views
/// live until the callback returns.
struct LogText {
  Time time;               ///< the kubelet's; where it gave none, that of the line before
  std::string_view stamp;  ///< as the kubelet wrote it: "" where there is none
  std::string_view text;   ///< any bytes, without stamp and newline
  bool begins = true;      ///< the line starts here
  bool ends = true;        ///< the line is complete with this
};

inline constexpr size_t kLongestPiece = size_t{32} << 10;

/// Where lines are cut into pieces.
enum class LogCut {
  long_lines,  ///< after kLongestPiece
  redraws,     ///< also after each '\r': what a progress bar shows comes without its newline
};

/// What a log tells its owner. Callbacks run inside Transport::wait (or accept() and finish()), and may
/// destroy the stream.
struct LogStreamHandler {
  /// Lines that were not handed on before, as many as came at once.
  std::function<void(std::span<const LogText>)> on_lines;
  /// What has come so far of the next line, or of its next piece: longer each time, until on_lines hands it
  /// on whole. Only to be shown: it may come again from its start. May be empty.
  std::function<void(const LogText&)> on_unfinished = {};
  /// After a later request a new line came, and nothing of what was handed on before, if anything was: the
  /// log was rotated meanwhile (what lies between is lost), or the container has been started again and this
  /// is the log of its next run. The stream holds still until accept() or ask().
  std::function<void()> on_doubt;
  /// It is the same run: lines between these times, if there were any, can no longer be read.
  std::function<void(Time last, Time next)> on_gap;
  /// kml's own server says that lines are missing here: how many bytes, and why. Only after a line.
  std::function<void(std::string_view text)> on_lost;
  /// The answer has ended cleanly. That does not mean that the container has: the owner looks at the pod, and
  /// asks again or calls finish().
  std::function<void()> on_end;
  /// The answer was an error, e.g. 400 while the container waits, or the kubelet's failure that came as text,
  /// or the connection broke too often; the owner decides whether to ask again.
  std::function<void(const Error&)> on_failure;
};

/// The log of one run of one container, without loss and doubles over any number of requests: each asks for
/// timestamps, begins just before the last line, and what was seen is dropped. A connection that broke is
/// opened again by itself.
class LogStream {
 public:
  virtual ~LogStream() = default;
  /// Takes note of a line that an earlier process has handed on. Before the first ask().
  virtual void recall(Time time, std::string_view text) = 0;
  /// Sends a request: the first one as `options` say, a later one from the last line on.
  /// `options.timestamps` is taken as true.
  virtual void ask(LogOptions options) = 0;
  /// Goes on after on_doubt: it is the same run.
  virtual void accept() = 0;
  /// The answer brought nothing of what was handed on before, though it began there: the log was rotated
  /// away. Asked in on_end, where no new line came that would have raised a doubt.
  virtual bool lost_track() const = 0;
  /// While it is paused no callback comes.
  virtual void pause(bool on) = 0;
  /// Hands on a last line that had no newline, and ends.
  virtual void finish() = 0;
};

/// `client` must outlive the result.
std::unique_ptr<LogStream> make_log_stream(Client& client, std::string namespace_name, std::string pod,
                                           LogStreamHandler handler, LogCut cut = LogCut::long_lines);

}  // namespace kml::kube
