#include "kml/job/accounting/job_bars.h"

#include <algorithm>
#include <map>

#include "kml/base/text.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

namespace {

struct NaturalLess {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

BarKind kind_of(const PodSpan& span) {
  return span.use == Use::lost ? BarKind::lost : span.use == Use::failed ? BarKind::failed : BarKind::running;
}

bool is_covered(const JobAccount& account, Time start, Time end) {
  return std::none_of(account.covered.begin(), account.covered.end(), [&](const CoveredSpan& span) {
    return span.known < span.wanted && span.start < end && start < span.end;
  });
}

/// Whether the pod was stopped because its job was suspended, and not because someone cancelled or deleted
/// it.
bool was_suspended(const PodSpan& span) {
  return span.use == Use::stopped && span.cause != "Deleted" && span.cause != "JobEnded" &&
         span.cause != kCancelledAttempt;
}

/// The job's state after this pod ended. nullptr stands for the time before the first pod.
BarKind gap_after(const PodSpan* span) {
  if (!span) return BarKind::queued;
  return span->disrupted ? BarKind::preempted : was_suspended(*span) ? BarKind::suspended : BarKind::queued;
}

void add(std::vector<Bar>& bars, const Bar& bar) {
  if (bar.start >= bar.end) return;
  const bool continues = !bars.empty() && bars.back().kind == bar.kind && bars.back().cause == bar.cause;
  continues ? static_cast<void>(bars.back().end = bar.end) : bars.push_back(bar);
}

/// Whether a row continues after its last pod.
bool waits_after(const JobAccount& account, const PodSpan* last, bool is_whole_job) {
  if (!last) return true;
  if (account.finished)
    // A whole job that ends later than its last pod was waiting for its next attempt.
    return last->disrupted || last->cause == "Suspended" || (is_whole_job && last->use == Use::failed);
  // A pod that has succeeded or was cancelled needs no replacement, even if the job is still running.
  const bool is_over = (last->use == Use::well && !last->disrupted) || last->cause == kCancelledAttempt;
  return !is_over || (is_whole_job && account.state == name_of(State::waiting));
}

/// The bars for spans sorted by start. If spans overlap, each bar ends where the next span starts.
std::vector<Bar> bars_of(const JobAccount& account, const std::vector<const PodSpan*>& spans, Time now,
                         bool is_whole_job) {
  std::vector<Bar> bars;
  Time at = account.created;
  const PodSpan* last = nullptr;
  const auto wait_until = [&](Time end) {
    const Time suspended = std::clamp(account.suspended.value_or(end), std::min(at, end), end);
    const BarKind kind = is_covered(account, at, suspended) ? gap_after(last) : BarKind::unknown;
    add(bars, {at, suspended, kind});
    add(bars, {std::max(at, suspended), end, BarKind::suspended});
  };
  for (size_t i = 0; i < spans.size(); ++i) {
    const PodSpan& span = *spans[i];
    if (span.start > at) wait_until(span.start);
    const Time next = i + 1 < spans.size() ? std::max(span.start, spans[i + 1]->start) : span.end;
    const Time start = std::max(at, span.start), end = std::min(span.end, next);
    add(bars, {start, end, kind_of(span), span.cause});
    at = std::max(at, end);
    last = &span;
  }
  // The API's times are whole seconds, so a pod that ran for less than a second after a preemption is not
  // shown separately.
  if (waits_after(account, last, is_whole_job)) wait_until(std::max(at, account.finished.value_or(now)));
  return bars;
}

/// The times when any of the job's pods ran, as spans that do not overlap. If several pods ran at once, the
/// span shows the most important one: a pod that runs, otherwise one that failed, otherwise one whose work
/// was lost.
std::vector<PodSpan> merged(const std::vector<PodSpan>& spans) {
  const auto weight = [](const PodSpan& span) {
    return kind_of(span) == BarKind::running ? 2 : span.use == Use::failed ? 1 : 0;
  };
  std::map<Time, std::vector<const PodSpan*>> begins, ends;
  for (const PodSpan& span : spans)
    if (span.start < span.end) {
      begins[span.start].push_back(&span);
      ends[span.end].push_back(&span);
    }
  std::vector<Time> times;
  for (const auto& [time, list] : begins) times.push_back(time);
  for (const auto& [time, list] : ends) times.push_back(time);
  std::sort(times.begin(), times.end());
  std::vector<PodSpan> found;
  std::vector<const PodSpan*> open;
  for (size_t i = 0; i + 1 < times.size(); ++i) {
    if (times[i] == times[i + 1]) continue;
    std::erase_if(open, [&](const PodSpan* span) { return span->end <= times[i]; });
    if (const auto begun = begins.find(times[i]); begun != begins.end())
      open.insert(open.end(), begun->second.begin(), begun->second.end());
    if (open.empty()) continue;
    const auto most = std::max_element(open.begin(), open.end(), [&](const PodSpan* a, const PodSpan* b) {
      return weight(*a) < weight(*b);
    });
    found.push_back(**most);
    found.back().start = times[i];
    found.back().end = times[i + 1];
    if ((*most)->end > times[i + 1]) found.back().disrupted = false;
  }
  return found;
}

std::vector<const PodSpan*> by_start(const std::vector<PodSpan>& spans) {
  std::vector<const PodSpan*> sorted;
  for (const PodSpan& span : spans) sorted.push_back(&span);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const PodSpan* a, const PodSpan* b) { return a->start < b->start; });
  return sorted;
}

}  // namespace

std::string_view name_of(BarKind kind) {
  constexpr std::string_view kNames[kBarKinds] = {"queued",    "running",   "lost",   "failed",
                                                  "preempted", "suspended", "unknown"};
  return kNames[static_cast<size_t>(kind)];
}

BarRow row_of(const JobAccount& account, Time now) {
  const std::vector<PodSpan> spans = merged(account.spans);
  return {account.name, bars_of(account, by_start(spans), now, true)};
}

std::vector<BarRow> rows_of(const JobAccount& account, Time now) {
  std::map<std::string, std::vector<PodSpan>, NaturalLess> lanes;
  for (const PodSpan& span : account.spans) lanes[span.lane].push_back(span);
  std::vector<BarRow> rows;
  for (const auto& [lane, all] : lanes) {
    const std::vector<PodSpan> spans = merged(all);
    rows.push_back({lane, bars_of(account, by_start(spans), now, false)});
  }
  return rows;
}

}  // namespace kml::job
