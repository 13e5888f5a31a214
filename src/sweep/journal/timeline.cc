#include "kml/sweep/journal/timeline.h"

#include <algorithm>

namespace kml::sweep {

void Timeline::apply(const Record& record) {
  const Time time = record.job_ended.value_or(record.time);
  std::visit(Overloaded{[&](const record::Begun& what) { made_[what.trial] = time; },
                        [&](const Wave& what) {
                          for (const std::uint64_t trial : what.trials) made_[trial] = time;
                        },
                        [&](const record::Running& what) { begin(what.trial, time); },
                        [&](const record::Waiting& what) { end(what.trial, time); },
                        [&](const record::Failed& what) { end(what.trial, time); },
                        [&](const record::Ended& what) { end(what.trial, time); },
                        [&](const record::Withdrawn& what) { end(what.trial, time); },
                        [&](const record::Rung& what) {
                          if (what.decision == record::Rung::Decision::pause) end(what.trial, time);
                        },
                        [](const auto& /*others*/) {}},
             record.what);
}

void Timeline::begin(std::uint64_t trial, Time time) {
  if (!open_.try_emplace(trial, spans_.size()).second) return;
  // Kubernetes' times are in whole seconds, so a job may seem to run before it was created.
  spans_.push_back({trial, std::max(time, made_[trial]), std::nullopt});
}

void Timeline::end(std::uint64_t trial, Time time) {
  const auto open = open_.find(trial);
  if (open == open_.end()) return;
  Span& span = spans_[open->second];
  span.end = std::max(time, span.begin);  // the clock may have been set back
  open_.erase(open);
}

std::map<std::uint64_t, nanoseconds> Timeline::ran(Time now) const {
  std::map<std::uint64_t, nanoseconds> ran;
  for (const Span& span : spans_)
    ran[span.trial] += std::max(span.end.value_or(now) - span.begin, nanoseconds{0});
  return ran;
}

}  // namespace kml::sweep
