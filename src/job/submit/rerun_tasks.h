#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kml/job/records/records.h"
#include "kml/job/spec/task_numbers.h"

namespace kml::job {

struct RunAndTasks {
  const Run* run;
  std::optional<spec::TaskNumbers> tasks = {};  ///< empty: all of it
};

/// The run that find_run() finds, or else the task of its array: "arr-5". Throws Error as that does.
RunAndTasks find_run_or_task(const std::vector<Run>& runs, std::string_view text);

/// The tasks of the array that have failed. Throws Error if it is no array, or if none has.
spec::TaskNumbers failed_tasks(const Json& job);

/// Leaves only these tasks in the array among the objects. Throws Error (usage) if there is no array, or if
/// it has no command.
void keep_tasks(std::vector<Json>& objects, const spec::TaskNumbers& tasks);

}  // namespace kml::job
