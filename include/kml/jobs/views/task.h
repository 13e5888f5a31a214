#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A Job's completedIndexes or failedIndexes: "0,2-5", in rising order.
class IndexRanges {
 public:
  IndexRanges() = default;
  explicit IndexRanges(std::string_view text);

  bool contains(int index) const;

 private:
  std::vector<std::pair<int, int>> ranges_;
};

/// What a name stands for: a job, or one task of an Indexed Job, as `submit --array` makes them.
struct JobOrTask {
  Json job;                      ///< the whole job
  std::optional<int> task = {};  ///< its index

  /// "arr", or "arr-3".
  std::string name() const;
  /// Of the job's pods, those that are the task's; all where it is a job.
  std::vector<const Json*> own(std::span<const Json* const> pods) const;
  /// What views and causes are made of. Of a task that is a Job of one pod, which has the state of its index
  /// and the whole job's name. `pods` are its own.
  Json as_job(std::span<const Json* const> pods) const;
};

/// The job of that name (see find_job()), or else the task of that name. Throws Error as find_job() does.
JobOrTask find_job_or_task(kube::Client& client, std::string_view namespace_name, std::string_view name);

}  // namespace kml::jobs
