#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "kml/kube/client/client.h"
#include "kml/kube/logs/log_stream.h"
#include "kube/logs/new_lines.h"

namespace kml::kube {

/// Works around a fault of the kubelet: it notices rotations only after it has read a log to its end once. If
/// the log was rotated before, the kubelet continues with the old file until the next rotation and skips the
/// whole file between. Therefore, after some time without data, a second request checks whether lines are
/// missing. Meanwhile the first response is paused, because its next lines might follow skipped ones. If the
/// second request has found a new line, the first response must continue with that line.
class SkippedLines {
 public:
  struct Owner {
    /// Whether the response has begun, and is not paused by others.
    std::function<bool()> is_reading;
    /// For all lines from that time until now.
    std::function<http::Request(Time from)> request;
    std::function<void()> pause_changed;  ///< must_pause() has another value
    std::function<void()> ask_again;      ///< the response is not to be trusted
  };
  /// `lines` are those of the response.
  SkippedLines(Client& client, const NewLines& lines, Owner owner)
      : client_(client), lines_(lines), owner_(std::move(owner)) {}

  /// A request is sent; `follows`, if its response will stay open.
  void begin_response(bool follows);
  /// The response has ended, or will not be read further.
  void end_response();
  /// The response has brought data.
  void on_data();
  /// The response has brought new lines.
  void on_new_lines() { impatience_ = 0; }
  bool must_pause() const { return is_looking_; }
  /// Whether a skipped line may come before the next one.
  bool awaits_line() const { return newer_.has_value(); }
  /// Whether the response has skipped lines before this one.
  bool come_before(const LogText& line);

 private:
  void await_silence(std::chrono::milliseconds delay);
  void on_silence();
  void look();
  void look_ended(std::optional<NewerLine> newer, const Error* broken);
  void ask_again_after(std::chrono::milliseconds delay);

  Client& client_;
  const NewLines& lines_;
  const Owner owner_;
  http::SteadyTime came_{};  ///< when the last bytes of the response arrived
  std::unique_ptr<http::Timer> silence_, patience_;
  bool is_looking_ = false;
  std::unique_ptr<http::Stream> look_;
  std::optional<NewerLine> newer_;  ///< the line with which the response must continue
  int impatience_ = 0;              ///< how often it did not continue in time
};

}  // namespace kml::kube
