#include "kml/job/accounting/gpu_usage.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace kml::job {

namespace {

/// The next midnight after `time`.
Time next_day(const TimeZone& zone, Time time) {
  constexpr std::chrono::days kDay{1};
  const auto local = time + zone.offset(time);
  const auto midnight = std::chrono::floor<std::chrono::days>(local) + kDay;
  const Time guess = midnight - zone.offset(time);
  // the clocks may change on that day, so the offset is looked up again
  const Time next = midnight - zone.offset(guess);
  return next > time ? next : guess;
}

double hours_of(Time start, Time end) {
  return std::chrono::duration<double, std::ratio<3600>>(end - start).count();
}

/// Calls add(day, start, end) for the part of a span that is within the query's time. If the query sums up
/// days, calls it once for each day; otherwise `day` is empty. Also calls it for a span that begins and ends
/// in the same second, because the job ran.
void each_part(const UsageQuery& query, Time start, Time end,
               const std::function<void(const std::string& day, Time, Time)>& add) {
  const bool by_day = std::find(query.by.begin(), query.by.end(), "day") != query.by.end();
  start = std::max(start, query.since);
  end = std::min(end, query.until);
  if (start > end) return;
  do {
    const Time next = by_day ? std::min(next_day(query.zone, start), end) : end;
    add(by_day ? minute_in(query.zone, start).substr(0, 10) : "", start, next);
    start = next;
  } while (start < end);
}

std::vector<std::string> values_of(const JobAccount& account, const UsageQuery& query,
                                   const std::string& day) {
  std::vector<std::string> values;
  for (const std::string& key : query.by)
    values.push_back(key == "user"    ? account.user
                     : key == "queue" ? account.queue
                     : key == "gpu"   ? account.gpu_type
                     : key == "day"   ? day
                                      : account.project);
  return values;
}

}  // namespace

std::span<const std::string> usage_keys() {
  static const std::vector<std::string> keys = {"user", "queue", "gpu", "project", "day"};
  return keys;
}

double UsageSum::held() const {
  return std::accumulate(hours.begin(), hours.end(), 0.0);
}

std::vector<UsageSum> usage_of(std::span<const JobAccount> accounts, const UsageQuery& query) {
  std::map<std::vector<std::string>, UsageSum> sums;
  for (const JobAccount& account : accounts) {
    std::set<UsageSum*> own;
    const double gpus = account.pods > 0 ? account.gpus / account.pods : 0;  // the GPUs of each pod
    const auto sum_of = [&](const std::string& day) -> UsageSum& {
      UsageSum& sum = sums[values_of(account, query, day)];
      if (own.insert(&sum).second) ++sum.jobs;
      return sum;
    };
    for (const PodSpan& span : account.spans)
      each_part(query, span.start, span.end, [&](const std::string& day, Time start, Time end) {
        sum_of(day).hours[static_cast<size_t>(span.use)] += span.gpus * hours_of(start, end);
      });
    for (const CoveredSpan& span : account.covered)
      each_part(query, span.start, span.end, [&](const std::string& day, Time start, Time end) {
        UsageSum& sum = sum_of(day);
        sum.wanted += span.wanted * gpus * hours_of(start, end);
        sum.known += span.known * gpus * hours_of(start, end);
      });
  }
  std::vector<UsageSum> sorted;
  for (auto& [values, sum] : sums) {
    sum.values = values;
    sorted.push_back(std::move(sum));
  }
  return sorted;
}

}  // namespace kml::job
