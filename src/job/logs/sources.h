#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/pattern.h"
#include "kml/job/logs/logs.h"
#include "kml/job/views/pod_view.h"

namespace kml::job {

/// The containers of a pod that a selection includes, and their labels.
class Sources {
 public:
  /// Throws usage Error if the pattern is not a regular expression. `selection` must outlive it.
  explicit Sources(const LogSelection& selection);

  bool wants(const LogSource& source) const;
  /// The sources of a pod. Call it for pods in the order of their creation. `job` may be null.
  std::vector<LogSource> of(const Json& pod, const Json* job);
  /// Throws usage Error if no pod so far had a container of the selection's name.
  void check_container() const;

 private:
  const LogSelection& selection_;
  std::optional<Pattern> pattern_;
  Attempts attempts_;
  std::set<std::string> containers_;  ///< containers of all pods so far
};

/// Sorts pods by creation time.
void sort_by_age(std::vector<Json>& pods);

/// The sources of a job's deleted pods, oldest first. kml's own server records them and keeps their logs. A
/// cluster has none.
std::vector<LogSource> gone_sources(kube::Client& client, const Json& job, const std::vector<Json>& pods,
                                    Sources& sources);

}  // namespace kml::job
