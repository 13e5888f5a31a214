#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "job/preflight/questions.h"
#include "kml/base/json.h"
#include "kml/job/why/cause.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Why the LimitRanges and ResourceQuotas of a namespace can never allow all pods of the job; empty if they
/// may.
std::optional<Cause> never_allowed(const Json& job, const std::vector<Json>& limit_ranges,
                                   const std::vector<Json>& quotas);

/// Finds submitted jobs of which the server will reject pods. Its requests run beside the submit's, which
/// must not wait for them. Asks a namespace that recently had no limits and no quotas only every ten minutes.
class PodLimits {
 public:
  /// Sends the requests.
  PodLimits(kube::Client& client, const std::vector<Json>& objects);

  /// A note for each of the first three such jobs. Waits only a moment for answers that have not arrived.
  std::vector<std::string> notes();

 private:
  struct Place {
    std::string name;
    std::vector<Json> limit_ranges = {}, quotas = {};
  };
  void ask(const api::ResourceKind& kind, const std::string& place, std::vector<Json>& items);

  kube::Client& client_;
  const std::vector<Json>& objects_;
  std::list<Place> places_;
  Questions questions_;
};

}  // namespace kml::job
