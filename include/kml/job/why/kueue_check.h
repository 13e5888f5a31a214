#pragma once

#include <optional>

#include "kml/base/json.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Finds out whether the cluster has Kueue, with at most one request, and only if a job waits in a queue.
class KueueCheck {
 public:
  explicit KueueCheck(kube::Client& client) : client_(client) {}

  /// Asks, if the job waits in a queue. correct() then sends no request.
  void learn(const Json& job);
  /// Changes the view of a job that waits in a queue if the cluster certainly does not have Kueue.
  void correct(const Json& job, JobView& view);

 private:
  kube::Client& client_;
  std::optional<bool> lacks_kueue_;
};

}  // namespace kml::job
