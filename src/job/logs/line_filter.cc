#include "job/logs/line_filter.h"

#include <algorithm>

#include "job/logs/rank_prefix.h"

namespace kml::job {

LineFilter::LineFilter(const Rules& rules, LogSink& next)
    : include_(rules.include.begin(), rules.include.end()),
      exclude_(rules.exclude.begin(), rules.exclude.end()),
      rank_(rules.rank),
      ranks_per_pod_(rules.ranks_per_pod),
      next_(next) {}

bool LineFilter::match_rank(const LogLine& line) {
  saw_lines_ = true;
  const std::optional<RankPrefix> prefix = rank_prefix(line.text);
  if (!prefix) return false;
  saw_prefix_ = true;
  const int first = prefix->is_local ? line.source->rank.value_or(0) * ranks_per_pod_ : 0;
  return first + prefix->number == *rank_;
}

bool LineFilter::passes(const LogLine& line) {
  const auto matches = [&line](const Pattern& pattern) { return pattern.matches(line.text); };
  if (rank_ && !match_rank(line)) return false;
  if (!include_.empty() && std::none_of(include_.begin(), include_.end(), matches)) return false;
  return std::none_of(exclude_.begin(), exclude_.end(), matches);
}

void LineFilter::lines(std::span<const LogLine> lines) {
  passed_.clear();
  for (const LogLine& line : lines) {
    const auto begun = line.begins ? unfinished_.end() : unfinished_.find(line.source);
    const bool passed = begun == unfinished_.end() ? passes(line) : begun->second;
    if (passed) passed_.push_back(line);
    if (!line.ends)
      unfinished_[line.source] = passed;
    else if (begun != unfinished_.end())
      unfinished_.erase(begun);
  }
  if (!passed_.empty()) next_.lines(passed_);
}

}  // namespace kml::job
