#include "job/records/disruption_notes.h"

#include "kml/base/error.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// How long to wait for events. The scheduler writes them asynchronously, so they may arrive this late.
constexpr std::chrono::seconds kKeptOpen{20};
constexpr std::chrono::milliseconds kInterval{500};

}  // namespace

void DisruptionNotes::see(const Json& job, const Json& pod) {
  std::optional<Disruption> disruption = disruption_of(pod);
  if (!disruption || !seen_.insert(disruption->uid).second) return;
  const std::string uid = disruption->uid;
  open_.emplace(uid, Open{job, std::move(*disruption), client_.transport().now() + kKeptOpen});
}

void DisruptionNotes::name_preemptor(Open& open) try {
  const std::string namespace_name = api::namespace_of(open.job);
  for (const ToldPreemption& told : told_preemptions(client_, namespace_name, open.disruption.pod))
    if (told.disruption.uid == open.disruption.uid)
      open.disruption.by = preemptor_name(client_, namespace_name, told.preemptor);
} catch (const Error&) {
}

void DisruptionNotes::record(const Open& open) const try {
  records_.add_disruption(open.job, open.disruption);
} catch (const Error&) {
}

std::vector<Disruption> DisruptionNotes::look_up() {
  std::vector<Disruption> known;
  for (auto it = open_.begin(); it != open_.end();) {
    Open& open = it->second;
    const http::SteadyTime now = client_.transport().now();
    const bool is_first = open.next == http::SteadyTime{};
    if (now < open.next) {
      ++it;
      continue;
    }
    open.next = now + kInterval;
    const bool may_have_name = open.disruption.reason == kPreempted;
    if (may_have_name && open.disruption.by.empty()) name_preemptor(open);
    // Recorded at once, even without the preemptor's name, because this process may end at any time.
    if (is_first || !open.disruption.by.empty()) record(open);
    const bool done = !may_have_name || !open.disruption.by.empty() || now > open.until;
    if (done) known.push_back(open.disruption);
    it = done ? open_.erase(it) : std::next(it);
  }
  return known;
}

}  // namespace kml::job
