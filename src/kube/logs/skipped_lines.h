#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "kml/kube/client/client.h"
#include "kml/kube/logs/log_stream.h"
#include "kube/logs/new_lines.h"

namespace kml::kube {

/// Works around a fault in the kubelet, which only notices rotations of a log after it has read the log to
/// its end once. If the log was rotated before that, the kubelet reads the old file until the next rotation,
/// and skips the whole file in between. So after some time without data, a second request checks whether
/// lines are missing. Meanwhile, the first response is paused, because its next lines might come after
/// skipped ones. If the second request finds a new line, the first response must continue with that line.
class SkippedLines {
 public:
  struct Owner {
    /// Whether the response has started, and the owner has not paused it.
    std::function<bool()> is_reading;
    /// The request for all lines from that time until now.
    std::function<http::Request(Time from)> request;
    std::function<void()> pause_changed;  ///< called when the value of must_pause() changes
    std::function<void()> ask_again;      ///< called if the response cannot be trusted
  };
  /// `lines` are the lines of the response.
  SkippedLines(Client& client, const NewLines& lines, Owner owner)
      : client_(client), lines_(lines), owner_(std::move(owner)) {}

  /// Call this when a request is sent. `follows` says whether its response will stay open.
  void begin_response(bool follows);
  /// Call this when the response has ended or is no longer read.
  void end_response();
  /// Call this when data has arrived.
  void on_data();
  /// Call this when new lines have arrived.
  void on_new_lines() { impatience_ = 0; }
  bool must_pause() const { return is_looking_; }
  /// Whether the next line must be checked, because lines may have been skipped before it.
  bool awaits_line() const { return newer_.has_value(); }
  /// Whether lines were skipped before this one.
  bool come_before(const LogText& line);

 private:
  void await_silence(std::chrono::milliseconds delay);
  void on_silence();
  void look();
  void look_ended(std::optional<NewerLine> newer, LookEnd end);
  void ask_again_after(std::chrono::milliseconds delay);

  Client& client_;
  const NewLines& lines_;
  const Owner owner_;
  http::SteadyTime came_{};  ///< when the last bytes of the response arrived
  std::unique_ptr<http::Timer> silence_, patience_;
  bool is_looking_ = false;
  std::unique_ptr<http::Stream> look_;
  std::optional<NewerLine> newer_;  ///< the line with which the response must continue
  int impatience_ = 0;              ///< how often the expected line did not arrive in time
};

}  // namespace kml::kube
