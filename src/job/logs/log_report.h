#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/job/logs/logs.h"

namespace kml::job {

/// Tells the sink what it has to know of a container's log besides the lines: which of them are missing, what
/// keeps it from being read, and how each run ends.
class LogReport {
 public:
  /// `facts` are those of the source, except for the run.
  LogReport(LogSink& sink, const LogSource& facts) : sink_(sink), facts_(facts) {}

  /// What follows concerns this run.
  void set_run(const LogSource& run);
  void began();
  /// Lines between two times may be missing; without `to`, all after `from`.
  void gap(std::optional<Time> from, std::optional<Time> to, const std::string& why);
  /// The server says that lines are missing.
  void lost(std::optional<Time> after, std::string_view text);
  /// Told again only if it is another.
  void trouble(const std::string& why);
  void run_ended(std::optional<ContainerExit> exit);

 private:
  LogEvent event(LogEvent::Kind kind, const std::string& text) const;

  LogSink& sink_;
  const LogSource& facts_;
  const LogSource* run_ = nullptr;
  std::string last_trouble_;
};

}  // namespace kml::job
