#include "job/logs/log_report.h"

#include <utility>

namespace kml::job {

void LogReport::set_run(const LogSource& run) {
  run_ = &run;
  last_trouble_.clear();
}

void LogReport::began() {
  sink_.event(event(LogEvent::Kind::began, "its log starts"));
}

void LogReport::gap(std::optional<Time> from, std::optional<Time> to, const std::string& why) {
  const std::string between = !from ? ""
                              : !to ? " after " + rfc3339_nano(*from)
                                    : " between " + rfc3339_nano(*from) + " and " + rfc3339_nano(*to);
  LogEvent gap = event(LogEvent::Kind::gap, "lines" + between + " may be missing: " + why);
  gap.from = from;
  gap.to = to;
  sink_.event(gap);
}

void LogReport::lost(std::optional<Time> after, std::string_view text) {
  const std::string since = after ? " after " + rfc3339_nano(*after) : "";
  LogEvent gap = event(LogEvent::Kind::gap, "lines" + since + " are missing: " + std::string(text));
  gap.from = after;
  sink_.event(gap);
}

void LogReport::trouble(const std::string& why) {
  if (std::exchange(last_trouble_, why) != why)
    sink_.event(event(LogEvent::Kind::trouble, "its log cannot be read now: " + why));
}

void LogReport::run_ended(std::optional<ContainerExit> exit) {
  LogEvent end = event(LogEvent::Kind::run_ended, exit ? "ended: " + in_words(*exit) : "ended");
  end.exit = std::move(exit);
  sink_.event(end);
}

LogEvent LogReport::event(LogEvent::Kind kind, const std::string& text) const {
  LogEvent event{kind, "pod " + facts_.pod + ", container " + facts_.container + ": " + text};
  event.source = run_;
  event.pod = facts_.pod;
  return event;
}

}  // namespace kml::job
