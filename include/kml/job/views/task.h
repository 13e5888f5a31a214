#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The indexes in a Job's completedIndexes or failedIndexes ("0,2-5"), in increasing order.
class IndexRanges {
 public:
  IndexRanges() = default;
  explicit IndexRanges(std::string_view text);

  bool contains(int index) const;

 private:
  std::vector<std::pair<int, int>> ranges_;
};

/// The name of an array's task, as users type it.
struct TaskName {
  std::string array;
  int number;
};
/// Parses "arr-3", "job/arr-3", or "arr/3", as `kml runs` and `kml exec` write it. Empty if the text has none
/// of these forms.
std::optional<TaskName> parse_task_name(std::string_view text);

/// A job, or a single task of an Indexed Job, such as `submit --array` creates.
struct JobOrTask {
  Json job;                      ///< the whole job
  std::optional<int> task = {};  ///< the task's index; empty for a whole job

  /// "arr", or "arr-3".
  std::string name() const;
  /// The pods that belong to the task; all of the job's pods if this is a job.
  std::vector<const Json*> own(std::span<const Json* const> pods) const;
  /// The object from which to make views and causes. For a task, this is a Job with one pod. It has the state
  /// of the task's index, but the name of the whole job. `pods` are the own() pods.
  Json as_job(std::span<const Json* const> pods) const;
};

/// Selects the pods that are needed to describe the job or task. For an array with more than 5,000 tasks,
/// leaves out pods that have succeeded, because only their number is needed, and the Job's status contains
/// it. For a task of such an array, selects only the task's pods.
kube::ListOptions telling_pods(const JobOrTask& named);

/// The job with this name (see find_job()), otherwise the task with this name: "arr-3" or "arr/3". Throws
/// Error as find_job() does.
JobOrTask find_job_or_task(kube::Client& client, std::string_view namespace_name, std::string_view name);

}  // namespace kml::job
