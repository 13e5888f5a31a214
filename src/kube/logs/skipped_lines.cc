#include "kube/logs/skipped_lines.h"

#include <algorithm>
#include <utility>

namespace kml::kube {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSilence{1500};
constexpr milliseconds kLongestLook{10'000};
/// Doubled each time until lines arrive, because the server may just be slow.
constexpr milliseconds kFirstPatience{300};
constexpr int kMostDoublings = 6;

}  // namespace

void SkippedLines::begin_response(bool follows) {
  came_ = client_.transport().now();
  if (follows) await_silence(kSilence);
}

void SkippedLines::end_response() {
  silence_.reset();
  patience_.reset();
  look_.reset();
  newer_.reset();
  is_looking_ = false;
}

void SkippedLines::on_data() {
  came_ = client_.transport().now();
  if (!newer_ || !patience_) return;
  patience_.reset();
  await_silence(kSilence);
}

void SkippedLines::await_silence(milliseconds delay) {
  silence_ = client_.transport().after(delay, [this] { on_silence(); });
}

void SkippedLines::on_silence() {
  const auto silent = ceil<milliseconds>(client_.transport().now() - came_);
  const bool waits = is_looking_ || !owner_.is_reading();
  if (waits || silent < kSilence) return await_silence(waits ? kSilence : kSilence - silent);
  look();
}

void SkippedLines::look() {
  const std::optional<Time> from = lines_.seen().resume_from();
  if (!from) return;  // no line was read yet
  is_looking_ = true;
  owner_.pause_changed();
  ask_again_after(kLongestLook);
  look_ = look_for_newer_line(
      client_, owner_.request(*from), lines_.seen(), lines_.splitter(),
      [this](std::optional<NewerLine> newer, LookEnd end) { look_ended(std::move(newer), end); });
}

/// If the connection of the second request broke, the first one's may be broken too, so the log is requested
/// again at once. If the server rejected the second request, the first response continues, because the server
/// might reject a new request for it too, and kml looks again later.
void SkippedLines::look_ended(std::optional<NewerLine> newer, LookEnd end) {
  if (end == LookEnd::broken) return ask_again_after(milliseconds(0));
  is_looking_ = false;
  patience_.reset();
  if (end == LookEnd::rejected) await_silence(kLongestLook);
  newer_ = std::move(newer);
  if (newer_) ask_again_after(kFirstPatience * (1 << std::min(impatience_++, kMostDoublings)));
  owner_.pause_changed();
}

/// If the log was rotated several times, the response may first have older lines, which a new request could
/// no longer read.
bool SkippedLines::come_before(const LogText& line) {
  if (!newer_ || line.stamp.empty() || line.time < newer_->time) return false;
  if (line.time != newer_->time)
    return SeenLines(lines_.seen()).judge(line.time, line.text) != SeenLines::Verdict::seen;
  if (line.text == newer_->text) newer_.reset();
  return false;
}

void SkippedLines::ask_again_after(milliseconds delay) {
  patience_ = client_.transport().after(delay, [this] { owner_.ask_again(); });
}

}  // namespace kml::kube
