#include "job/queue/durations.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The groups of similar jobs that the job belongs to, the most specific first.
std::array<std::string, 3> families_of(const JobView& job) {
  std::string name = base_of_drawn_name(job.name);
  name.erase(name.find_last_not_of("0123456789") + 1);
  const std::string gpus = "/" + std::to_string(job.gpus), user = job.namespace_name + "/" + job.user;
  return {user + "/" + name + gpus, user + gpus, gpus};
}
constexpr std::array<size_t, 3> kEnough = {3, 5, 8};

/// How far a training's own estimate of its remaining time may be off: about a fifth, in both directions.
constexpr double kToldSpread = 0.2;
/// For jobs about which only the time limit is known: the probability that a job reaches the limit, and the
/// smallest share of the limit that a job uses.
constexpr double kReachLimit = 0.25, kLeastShare = 0.03;

}  // namespace

void DurationHistory::add(const JobView& job, std::span<const Json> pods) {
  std::optional<Time> started;
  for (const Json& pod : pods)
    if (const auto start = api::started_at(pod); start && (!started || *start < *started)) started = start;
  if (!started || !job.finished || *job.finished < *started) return;
  for (const std::string& family : families_of(job))
    families_[family].durations.push_back(std::chrono::duration_cast<seconds>(*job.finished - *started));
}

const std::vector<seconds>* DurationHistory::of(const JobView& job) {
  const auto names = families_of(job);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = families_.find(names[i]);
    if (found == families_.end() || found->second.durations.size() < kEnough[i]) continue;
    Family& family = found->second;
    if (!std::exchange(family.is_sorted, true)) std::sort(family.durations.begin(), family.durations.end());
    return &family.durations;
  }
  return nullptr;
}

double share_of_limits(const std::function<double()>& random) {
  const double place = random();
  return place < kReachLimit ? 1 : std::pow(kLeastShare, (place - kReachLimit) / (1 - kReachLimit));
}

seconds Duration::left(const std::function<double()>& random, double share_of_limit) const {
  const auto times = [](seconds time, double factor) {
    return seconds(static_cast<long long>(static_cast<double>(time.count()) * factor));
  };
  if (ends_in) return *ends_in;
  seconds left{0};
  if (told_left) {
    left = times(*told_left, 1 - kToldSpread + 2 * kToldSpread * random());
  } else if (history) {
    // Considers the past jobs that took longer than this job has run so far. If this job has already run
    // longer than all of them, it may take up to as long again.
    const auto longer = std::upper_bound(history->begin(), history->end(), elapsed);
    const auto count = static_cast<size_t>(history->end() - longer);
    const double place = random() * static_cast<double>(count + 1);
    const auto i = static_cast<size_t>(place);
    // Each interval between two known run times is equally likely, and so is the one from the longest run
    // time to twice that time.
    const seconds low = i == 0 ? elapsed : longer[static_cast<std::ptrdiff_t>(i) - 1];
    const seconds high = i < count ? longer[static_cast<std::ptrdiff_t>(i)] : std::max(2 * low, seconds(60));
    left = low + times(high - low, place - static_cast<double>(i)) - elapsed;
  } else {
    left = times(*limit - elapsed, share_of_limit);
  }
  if (limit) left = std::min(left, *limit - elapsed);
  return std::max(left, seconds(1));
}

}  // namespace kml::job
