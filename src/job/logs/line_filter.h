#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/pattern.h"
#include "kml/job/logs/logs.h"

namespace kml::job {

/// Passes on matching lines and all events. If a line arrives in pieces, the first piece decides. Drops
/// unfinished pieces.
class LineFilter : public LogSink {
 public:
  struct Rules {
    std::vector<std::string> include = {};  ///< expressions; if any, at least one must match
    std::vector<std::string> exclude = {};  ///< expressions; none may match
    std::optional<int> rank = {};           ///< only lines that carry this rank's prefix, see rank_prefix()
    int ranks_per_pod = 1;

    bool empty() const { return include.empty() && exclude.empty() && !rank; }
  };
  /// Throws usage Error for an invalid expression. `next` must outlive it.
  LineFilter(const Rules& rules, LogSink& next);

  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent& event) override { next_.event(event); }
  bool pause() override { return next_.pause(); }
  void waits(const JobView& job) override { next_.waits(job); }

  /// True if a rank is selected, but none of the lines so far had a rank's prefix.
  bool missed_prefixes() const { return rank_ && saw_lines_ && !saw_prefix_; }

 private:
  bool passes(const LogLine& line);
  bool match_rank(const LogLine& line);

  std::vector<Pattern> include_, exclude_;
  const std::optional<int> rank_;
  const int ranks_per_pod_;
  LogSink& next_;
  bool saw_lines_ = false, saw_prefix_ = false;
  std::map<const LogSource*, bool> unfinished_;  ///< sources with an unfinished line, and whether it passes
  std::vector<LogLine> passed_;                  ///< a member only to reuse its memory
};

}  // namespace kml::job
