#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/pattern.h"
#include "kml/jobs/logs/logs.h"

namespace kml::jobs {

/// Passes on only some lines, and all events. Of a line that comes in pieces the first one decides; what has
/// come of a piece decides nothing, and is left out.
class LineFilter : public LogSink {
 public:
  struct Rules {
    std::vector<std::string> include = {};  ///< expressions of which one has to match, where there are any
    std::vector<std::string> exclude = {};  ///< expressions of which none may match
    std::optional<int> rank = {};           ///< only lines that carry this rank's prefix, see rank_prefix()
    int ranks_per_pod = 1;

    bool empty() const { return include.empty() && exclude.empty() && !rank; }
  };
  /// Throws usage Error if one is not an expression. `next` must outlive it.
  LineFilter(const Rules& rules, LogSink& next);

  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent& event) override { next_.event(event); }
  bool pause() override { return next_.pause(); }
  void waits(const JobView& job) override { next_.waits(job); }

  /// Lines were asked for by rank, some came, and none had the prefix of any.
  bool missed_prefixes() const { return rank_ && saw_lines_ && !saw_prefix_; }

 private:
  bool passes(const LogLine& line);
  bool is_of_rank(const LogLine& line);

  std::vector<Pattern> include_, exclude_;
  const std::optional<int> rank_;
  const int ranks_per_pod_;
  LogSink& next_;
  bool saw_lines_ = false, saw_prefix_ = false;
  std::map<const LogSource*, bool> unfinished_;  ///< lines that go on, and whether they pass
  std::vector<LogLine> passed_;                  ///< only to keep its memory
};

}  // namespace kml::jobs
