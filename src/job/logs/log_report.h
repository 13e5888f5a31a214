#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/job/logs/logs.h"

namespace kml::job {

/// Reports to the sink about a container's log: which lines are missing, why the log cannot be read, and how
/// each run ends.
class LogReport {
 public:
  /// `facts` has all fields of the source except the run.
  LogReport(LogSink& sink, const LogSource& facts) : sink_(sink), facts_(facts) {}

  /// All reports after this call are about this run.
  void set_run(const LogSource& run);
  void began();
  /// Reports that lines between two times may be missing. Without `to`, all lines after `from` may be.
  void gap(std::optional<Time> from, std::optional<Time> to, const std::string& why);
  /// Reports the server's message that lines are missing.
  void lost(std::optional<Time> after, std::string_view text);
  /// Reports why the log cannot be read, unless that was the last reported reason.
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
