#include "jobs/logs/gone_sources.h"

#include <set>

#include "kml/api/labels.h"
#include "kml/jobs/attempts/attempts.h"

namespace kml::jobs {

namespace {

/// The pod as far as the record tells.
Json remains(const Attempt& attempt, const Json& job) {
  Json pod = {{"metadata",
               {{"name", attempt.pod},
                {"namespace", string_at(job, {"metadata", "namespace"})},
                {"uid", attempt.uid},
                {"labels", Json::object()}}},
              {"spec", {{"containers", Json::array()}}}};
  if (string_at(job, {"kind"}) == "Job" && !attempt.index.empty())
    pod["metadata"]["labels"][api::kCompletionIndex] = attempt.index;
  for (const std::string& container : attempt.containers)
    pod["spec"]["containers"].push_back({{"name", container}});
  return pod;
}

}  // namespace

std::vector<LogSource> gone_sources(kube::Client& client, const Json& job, const std::vector<Json>& pods,
                                    Sources& sources) {
  std::set<std::string> present;
  for (const Json& pod : pods) present.insert(string_at(pod, {"metadata", "uid"}));
  std::vector<LogSource> gone;
  for (const Attempt& attempt : recorded_attempts(client, job)) {
    if (present.contains(attempt.uid)) continue;
    for (LogSource& source : sources.of(remains(attempt, job), &job)) gone.push_back(std::move(source));
  }
  return gone;
}

}  // namespace kml::jobs
