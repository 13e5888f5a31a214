#include "kml/sweep/timeline.h"

#include <algorithm>

#include "sweep/journal/wave.h"

namespace kml::sweep {

void Timeline::apply(const Json& record) {
  const std::string kind = string_at(record, {"record"});
  const Time time = parse_rfc3339(string_at(record, {"time"})).value_or(Time{});
  if (kind == "wave")
    for (const std::uint64_t trial : wave_of(record).trials) made_[trial] = time;
  const bool begins = kind == "running";
  const bool ends = kind == "ended" || kind == "failed" || kind == "waiting" || kind == "withdrawn" ||
                    (kind == "rung" && string_at(record, {"decision"}) == "pause");
  if (!begins && !ends && kind != "begun") return;
  const auto trial = static_cast<std::uint64_t>(int_at(record, {"trial"}));
  if (kind == "begun") made_[trial] = time;
  const auto open = open_.find(trial);
  if (begins && open == open_.end()) {
    open_[trial] = spans_.size();
    // Kubernetes tells whole seconds: as if it had run before it was made.
    spans_.push_back({trial, std::max(time, made_[trial]), std::nullopt});
  } else if (ends && open != open_.end()) {
    Span& span = spans_[open->second];
    span.end = std::max(time, span.begin);  // a clock may step back
    open_.erase(open);
  }
}

std::map<std::uint64_t, nanoseconds> Timeline::ran(Time now) const {
  std::map<std::uint64_t, nanoseconds> ran;
  for (const Span& span : spans_)
    ran[span.trial] += std::max(span.end.value_or(now) - span.begin, nanoseconds{0});
  return ran;
}

}  // namespace kml::sweep
