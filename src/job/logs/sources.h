#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/pattern.h"
#include "kml/job/logs/logs.h"
#include "kml/job/views/pod_view.h"

namespace kml::job {

/// The selected containers of a pod, and how their lines are labeled.
class Sources {
 public:
  /// Throws usage Error if the pattern is not a regular expression. `selection` must outlive it.
  explicit Sources(const LogSelection& selection);

  bool wants(const LogSource& source) const;
  /// The sources of a pod. Call this for pods in the order of their creation. `job` may be null.
  std::vector<LogSource> of(const Json& pod, const Json* job);
  /// Throws usage Error if none of the pods so far has a container with the selected name.
  void check_container() const;
  /// Throws usage Error if no rank of the jobs so far has had the selected attempt.
  void check_attempt() const;

 private:
  const LogSelection& selection_;
  std::optional<Pattern> pattern_;
  Attempts attempts_;
  std::set<std::string> containers_;  ///< names of the containers in all pods so far
  int most_attempts_ = 0;             ///< the most attempts that any rank of a job has had so far
};

/// Sorts pods by creation time.
void sort_by_age(std::vector<Json>& pods);

/// The sources of a job's deleted pods, oldest first. The embedded server records such pods and keeps their
/// logs. On a cluster, the result is empty.
std::vector<LogSource> gone_sources(kube::Client& client, const Json& job, const std::vector<Json>& pods,
                                    Sources& sources);

}  // namespace kml::job
