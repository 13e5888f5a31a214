#include "tracking/runs/gpu_hours.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string_view>

#include "kml/job/accounting/account_records.h"
#include "kml/job/accounting/gpu_usage.h"

namespace kml::tracking {

namespace {

/// The GPU hours of one run, in words. Empty if nothing is known.
std::string hours_in(const std::vector<job::JobAccount>& accounts) {
  constexpr double kAll = 0.99;
  const std::vector<job::UsageSum> sums =
      job::usage_of(accounts, {.by = {}, .since = {}, .until = Time::max()});
  if (sums.empty() || sums[0].known <= 0) return {};
  const double share = sums[0].known / sums[0].wanted;
  return hours_text(sums[0].held()) +
         (share < kAll ? fmt::format(" (known for {:.0f}% of the time)", std::floor(share * 100)) : "");
}

}  // namespace

std::string hours_text(double hours) {
  return fmt::format("{:.3g}", hours);
}

void add_gpu_hours(std::vector<TrackedRun>& runs) {
  std::map<std::string, std::vector<job::JobAccount>, std::less<>> accounts;
  for (const TrackedRun& run : runs) accounts[run.submit_id];
  const auto run_of = [](std::string_view key) { return key.substr(0, key.find(' ')); };
  const auto is_wanted = [&](std::string_view key) { return accounts.contains(run_of(key)); };
  for (auto& [key, account] : job::AccountRecords::of_user().read(is_wanted))
    accounts.find(run_of(key))->second.push_back(std::move(account));
  for (TrackedRun& run : runs)
    if (std::string hours = hours_in(accounts[run.submit_id]); !hours.empty())
      run.facts["GPU hours"] = std::move(hours);
}

}  // namespace kml::tracking
