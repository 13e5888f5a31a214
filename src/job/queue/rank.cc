#include "job/queue/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "job/queue/kueue.h"
#include "kml/base/text.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// A job that waits only for admission checks is not in line: Kueue has already reserved its quota.
bool is_in_line_of_kueue(const QueueEntry& entry) {
  return !entry.queue.empty() && entry.job.cause_code != CauseCode::queue_check;
}

bool holds_any_node(const QueueRecord& record) {
  return std::ranges::any_of(record.pods, [](const Json& pod) {
    return !api::node_of(pod).empty() && !api::pod_has_ended(pod) && !api::is_being_deleted(pod);
  });
}

Rank::Place place_in_queue(const QueueRecord& record, const QueueEntry& entry) {
  if (has_running_pods(entry.job.state)) return Rank::Place::running;
  if (entry.job.state != State::waiting) return Rank::Place::suspended;
  if (entry.job.cannot_start || entry.job.cause_code == CauseCode::gang_incomplete)
    return Rank::Place::elsewhere;
  if (api::is_suspended(record.job))
    return is_in_line_of_kueue(entry) ? Rank::Place::in_line : Rank::Place::elsewhere;
  if (std::ranges::any_of(record.pods, waits_for_node)) return Rank::Place::in_line;
  return holds_any_node(record) ? Rank::Place::starting : Rank::Place::elsewhere;
}

}  // namespace

std::strong_ordering NaturalName::operator<=>(const NaturalName& other) const {
  if (natural_less(text, other.text)) return std::strong_ordering::less;
  return natural_less(other.text, text) ? std::strong_ordering::greater : text <=> other.text;
}

Rank rank_of(const QueueRecord& record, const QueueEntry& entry, int kueue_position) {
  Rank rank;
  rank.place = place_in_queue(record, entry);
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

/// A space sorts before every character of a name, so a name comes before all longer names that begin with
/// it.
std::string order_text(const Rank& rank) {
  const std::string& name = rank.name.text;
  return fmt::format("{} {} {:04x} {} {} {} {} {}", static_cast<int>(rank.place), rank.queue,
                     rank.kueue_position, sortable(rank.priority),
                     sortable(rank.since.time_since_epoch().count()), rank.workload, rank.submitted,
                     natural_order_text(name));
}

}  // namespace kml::job
