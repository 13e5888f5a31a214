#include "kml/engine/watching/wait_without_pods.h"

#include "kml/job/why/why.h"

namespace kml::engine {

std::optional<std::string> wait_without_pods(kube::Client& client, std::string_view namespace_name,
                                             std::string_view job) {
  try {
    const job::Verdict verdict = job::why(client, namespace_name, job);
    const bool waits = verdict.job.state == job::State::waiting || verdict.job.state == job::State::suspended;
    if (waits && !verdict.causes[0].brief.empty()) return verdict.causes[0].brief;
  } catch (const Error&) {
    // The job was deleted, or the server does not answer. The caller already knows that the job waits.
  }
  return {};
}

}  // namespace kml::engine
