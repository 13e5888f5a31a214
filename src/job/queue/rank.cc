#include "job/queue/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "job/queue/kueue.h"
#include "kml/base/text.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

int rank_of_state(const JobView& job) {
  if (has_running_pods(job.state)) return 0;
  if (job.state != State::waiting) return 3;
  return job.cannot_start || job.cause_code == CauseCode::backoff ? 2 : 1;
}

}  // namespace

std::strong_ordering NaturalName::operator<=>(const NaturalName& other) const {
  if (natural_less(text, other.text)) return std::strong_ordering::less;
  return natural_less(other.text, text) ? std::strong_ordering::greater : text <=> other.text;
}

Rank rank_of(const QueueRecord& record, const QueueEntry& entry, int kueue_position) {
  Rank rank;
  rank.state = rank_of_state(entry.job);
  const bool in_kueue = rank.waits() && !entry.queue.empty() && api::is_suspended(record.job);
  if (in_kueue) {
    rank.queue =
        entry.cluster_queue.empty() ? entry.job.namespace_name + "/" + entry.queue : entry.cluster_queue;
    rank.kueue_position = kueue_position;
  }
  rank.priority = -entry.priority;
  const bool has_workload = in_kueue && !record.workload.is_null();
  rank.since = has_workload ? order_of_workload(record.workload) : entry.waiting_since;
  if (has_workload) rank.workload = api::uid_of(record.workload);
  if (!in_kueue) rank.submitted = entry.job.submitted;
  rank.name = {entry.job.namespace_name + "/" + entry.job.name};
  return rank;
}

namespace {

/// 16 digits, which sort like the numbers.
std::string sortable(std::int64_t number) {
  return fmt::format("{:016x}", static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63));
}

}  // namespace

std::string natural_order_text(std::string_view name) {
  std::string text;
  for (size_t at = 0; at < name.size();) {
    if (!is_digit(name[at])) {
      text += name[at++];
      continue;
    }
    const size_t end = std::min(name.find_first_not_of("0123456789", at), name.size());
    std::string_view number = name.substr(at, end - at);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    constexpr size_t kMostDigits = 40;
    text += static_cast<char>('0' + std::min(number.size(), kMostDigits));
    text += number;
    at = end;
  }
  return text;
}

/// A space sorts before every character of a name, so a name that begins like another comes first.
std::string order_text(const Rank& rank) {
  const std::string& name = rank.name.text;
  return fmt::format("{} {} {:04x} {} {} {} {} {}", rank.state, rank.queue, rank.kueue_position,
                     sortable(rank.priority), sortable(rank.since.time_since_epoch().count()), rank.workload,
                     rank.submitted, natural_order_text(name));
}

}  // namespace kml::job
