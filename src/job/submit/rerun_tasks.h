#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kml/job/records/records.h"
#include "kml/job/spec/task_numbers.h"

namespace kml::job {

struct SubmissionAndTasks {
  const Submission* submission;
  std::optional<spec::TaskNumbers> tasks =
      {};  ///< the tasks to run again; empty if the user means the whole array
};

/// Finds the run as find_run() does. If there is none, finds a task of an array: "arr-5". Throws Error as
/// find_run() does.
SubmissionAndTasks find_run_or_task(const std::vector<Submission>& submissions, std::string_view text);

/// The array's failed tasks. If the job itself has failed, this includes the tasks that it could not start.
/// Throws Error if the job is not an array, or if no task has failed.
spec::TaskNumbers failed_tasks(const Json& job);

/// Changes the array among the objects so that only these tasks run. Throws usage Error if there is no array,
/// or if it has no command.
void keep_tasks(std::vector<Json>& objects, const spec::TaskNumbers& tasks);

}  // namespace kml::job
