#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/logs/logs.h"

namespace kml::job {

/// Whether the Python package runs a function in this job, whose result is in the log.
bool returns_result(const Json& job);

/// Whether the line is a part of a function's result: "kml-result TASK PART PARTS SEAL CHECK BASE64".
bool is_result_line(std::string_view text);

/// Passes on all events, and all lines but the parts of results and the empty line before each part, which
/// ends whatever was printed before it. An empty line is therefore passed on together with the next line.
class ResultHider : public LogSink {
 public:
  /// `next` must outlive it.
  explicit ResultHider(LogSink& next) : next_(next) {}

  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent& event) override;
  void unfinished(const LogLine& line) override;
  bool pause() override { return next_.pause(); }
  void waits(const JobView& job) override { next_.waits(job); }
  /// Passes on the empty lines that are last.
  void finish();

 private:
  struct Source {
    bool is_hidden = false;             ///< the line that its last piece belongs to
    std::optional<LogLine> empty = {};  ///< a line whose next one is not known yet
    std::string stamp = {};             ///< of that line, which is gone when the next one arrives
  };
  void take(const LogLine& line);
  void pass_on(Source& source);

  LogSink& next_;
  std::map<const LogSource*, Source> sources_;
  std::vector<LogLine> passed_;  ///< a member only to reuse its memory
};

}  // namespace kml::job
