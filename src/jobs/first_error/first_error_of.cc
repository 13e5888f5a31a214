#include <algorithm>

#include "kml/jobs/first_error.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/logs.h"
#include "kml/jobs/rank_prefix.h"

namespace kml::jobs {

namespace {

/// Of each container, and bytes of each line: enough for a traceback of each of eight ranks.
constexpr long long kTail = 400;
constexpr size_t kLongestLine = 1024;

class TailReader : public LogSink {
 public:
  void lines(std::span<const LogLine> lines) override {
    for (const LogLine& line : lines)
      if (line.begins)
        tails_[{line.source->pod_uid, line.source->container, line.source->restart}].push_back(
            {line.time, std::string(line.text.substr(0, kLongestLine))});
  }
  void event(const LogEvent&) override {}

  /// A log that cannot be read is one evidence less.
  void read(kube::Client& client, const LogSelection& selection) {
    try {
      read_logs(client, selection, *this);
    } catch (const Error&) {
    }
  }
  const Tails& tails() const { return tails_; }

 private:
  Tails tails_;
};

}  // namespace

std::optional<Death> first_error_of(kube::Client& client, const Json& job) {
  std::vector<Json> pods;
  for (Json& pod : client
                       .list(*api::find_kind("v1", "Pod"), string_at(job, {"metadata", "namespace"}),
                             {.label_selector = pod_selector(job)})
                       .items)
    if (has_pod(job, pod)) pods.push_back(std::move(pod));
  std::vector<Death> deaths = deaths_of(job, std::move(pods));
  if (deaths.empty()) return {};
  TailReader reader;
  LogSelection selection{.jobs = {job}, .tail = kTail};
  reader.read(client, selection);
  selection.previous = true;
  const auto unread = [&reader](const Death& death) {
    return !reader.tails().contains({death.source.pod_uid, death.source.container, death.source.restart});
  };
  if (std::any_of(deaths.begin(), deaths.end(), unread)) reader.read(client, selection);
  deaths = explained(deaths, reader.tails(), ranks_per_pod(job));
  const Death* first = died_first(deaths);
  return first ? std::optional(*first) : std::nullopt;
}

}  // namespace kml::jobs
