#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/logs/logs.h"

namespace kml::job {

/// Whether the job may run a function for the Python package, which reads the result from the log: its
/// command names the package's worker.py.
bool returns_result(const Json& job);

/// Whether the line is part of a function's result: "kml-result TASK PART PARTS SEAL CHECK BASE64".
bool is_result_line(std::string_view text);

/// Passes on all events, and all lines except parts of results. Also removes the empty line before each part,
/// which only ends an unfinished line of the program. For this, an empty line is held back until the next
/// line is known.
class ResultHider : public LogSink {
 public:
  /// `next` must outlive this object.
  explicit ResultHider(LogSink& next) : next_(next) {}

  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent& event) override;
  void unfinished(const LogLine& line) override;
  bool pause() override { return next_.pause(); }
  void waits(const JobView& job) override { next_.waits(job); }
  /// Passes on empty lines at the end.
  void finish();

 private:
  struct Source {
    bool is_hidden = false;             ///< whether the line that the last piece belongs to is hidden
    std::optional<LogLine> empty = {};  ///< an empty line that is held back until the next line is known
    /// the held line's timestamp; a copy, because the original text is gone when the next line arrives
    std::string stamp = {};
  };
  void take(const LogLine& line);
  void pass_on(Source& source);

  LogSink& next_;
  std::map<const LogSource*, Source> sources_;
  std::vector<LogLine> passed_;  ///< a member only so that its memory is reused
};

}  // namespace kml::job
