#pragma once

#include <set>
#include <string>
#include <vector>

#include "job/logs/log_context.h"
#include "kml/kube/client/watch.h"

namespace kml::job {

/// The jobs of LogSelection::to_come that have been created since the following began.
class ArrivingJobs {
 public:
  explicit ArrivingJobs(LogContext& context);

  /// Takes a change of a job in the namespace.
  void see(kube::Change change, const Json& job);
  /// The wanted jobs that have appeared since the last call.
  std::vector<Json> take();
  /// Whether take() has returned all jobs that will ever appear.
  bool are_complete();

 private:
  bool ask_whether_over();

  LogContext& context_;
  std::set<std::string> seen_;  ///< uids
  std::vector<Json> arrived_;
  http::SteadyTime asked_{};
  bool is_complete_ = false;
};

}  // namespace kml::job
