#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/pattern.h"
#include "kml/job/logs/logs.h"

namespace kml::job {

/// Passes on lines that match, and all events. If a line arrives in pieces, the first piece decides. Drops
/// unfinished lines.
class LineFilter : public LogSink {
 public:
  struct Rules {
    std::vector<std::string> include = {};  ///< expressions; if there are any, a line must match at least one
    std::vector<std::string> exclude = {};  ///< expressions; a line must match none
    std::optional<int> rank = {};           ///< selects only lines with this rank's prefix, see rank_prefix()
    int ranks_per_pod = 1;

    bool empty() const { return include.empty() && exclude.empty() && !rank; }
  };
  /// Throws usage Error for an invalid expression. `next` must outlive this object.
  LineFilter(const Rules& rules, LogSink& next);

  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent& event) override { next_.event(event); }
  bool pause() override { return next_.pause(); }
  void waits(const JobView& job) override { next_.waits(job); }

  /// True if a rank was selected and lines have arrived, but none had a rank's prefix.
  bool missed_prefixes() const { return rank_ && saw_lines_ && !saw_prefix_; }

 private:
  bool passes(const LogLine& line);
  bool match_rank(const LogLine& line);

  std::vector<Pattern> include_, exclude_;
  const std::optional<int> rank_;
  const int ranks_per_pod_;
  LogSink& next_;
  bool saw_lines_ = false, saw_prefix_ = false;
  /// sources with an incomplete line, and whether that line passes
  std::map<const LogSource*, bool> unfinished_;
  std::vector<LogLine> passed_;  ///< a member only so that its memory is reused
};

}  // namespace kml::job
