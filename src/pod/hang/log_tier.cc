#include "pod/hang/log_tier.h"

#include <algorithm>
#include <array>

#include "job/first_error/deaths.h"
#include "kml/base/clean.h"
#include "kml/base/redrawn_line.h"
#include "kml/base/text.h"
#include "kml/job/logs/metric_line.h"

namespace kml::pod {

namespace {

constexpr long long kHangTail = 200;
constexpr size_t kLongestShown = 300;

/// The step in "step=20". If the line also has an epoch, the epoch's number is ignored.
std::optional<double> step_in(std::string_view line) {
  std::optional<double> step;
  for (const auto& [name, value] : job::metrics_in(line))
    if (job::counts_steps(name) && (!step || name != "epoch")) step = value;
  return step;
}

bool reports_saving(const std::string& line) {
  return contains(line, "checkpoint") && (contains(line, "sav") || contains(line, "writ"));
}

/// Whether the line only reports waiting, which is not a sign of progress.
bool reports_waiting(const std::string& line) {
  constexpr std::array<std::string_view, 5> kWords = {"wait", "retry", "heartbeat", "timeout", "timed out"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return contains(line, word); });
}

/// Whether the line is a shell's message about a killed or aborted process: "Killed" or "x.sh: line 3: 81
/// Killed python train.py".
bool reports_killed(std::string_view line) {
  return line == "Killed" || line == "Aborted" || contains(line, " Killed  ") || contains(line, " Aborted  ");
}

}  // namespace

void LogTier::read(kube::Client& client, const Json& job, const std::vector<Json>& pods) {
  job::read_logs(client, {.jobs = {job}, .pods = pods, .tail = kHangTail}, *this);
}

void LogTier::lines(std::span<const job::LogLine> lines) {
  for (const job::LogLine& line : lines) {
    if (!line.begins || !line.source->is_main) continue;
    const std::string plain = without_colours(after_carriage_returns(line.text));
    const std::string_view text = trim(plain);
    if (text.empty()) continue;
    One& one = by_pod_[line.source->pod_uid];
    LogLook& look = one.look;
    const std::string plain_lower = lower(text);
    look.last_line = text.substr(0, kLongestShown);
    look.is_saving = reports_saving(plain_lower);
    look.was_killed = reports_killed(text);
    const bool is_error = job::kind_told_by(text) == job::EndKind::own_error;
    if (is_error) look.error = look.last_line;
    const std::optional<double> step = is_error ? std::nullopt : step_in(plain_lower);
    if (!step && reports_waiting(plain_lower)) continue;
    one.times.push_back(line.time);
    // If the log has steps, only the time between steps is considered.
    const std::optional<Time> before = look.step ? one.step_at : step ? std::nullopt : look.last_at;
    if (step && !look.step) look.longest_pause.reset();
    if (before && (step || !look.step))
      look.longest_pause = std::max(look.longest_pause.value_or(nanoseconds(0)), line.time - *before);
    look.last_at = line.time;
    if (!step) continue;
    look.step = step;
    one.step_at = line.time;
    look.error.clear();
  }
}

LogLook LogTier::look_of(const std::string& pod_uid) const {
  const auto found = by_pod_.find(pod_uid);
  return found == by_pod_.end() ? LogLook{} : found->second.look;
}

LogLook LogTier::look_of(const std::string& pod_uid, const LogTier& later) const {
  LogLook first = look_of(pod_uid);
  const auto found = later.by_pod_.find(pod_uid);
  if (found == later.by_pod_.end()) return first;
  LogLook look = found->second.look;
  look.step_later = std::exchange(look.step, first.step);
  look.longest_pause = std::max(look.longest_pause, first.longest_pause);
  for (const Time time : found->second.times)
    if (!first.last_at || time > *first.last_at) ++look.new_lines;
  return look;
}

}  // namespace kml::pod
