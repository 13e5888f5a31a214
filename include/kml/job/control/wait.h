#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/views/interrupt.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The goal for which kml waits.
struct WaitGoal {
  enum class Kind { end, running, condition, deletion };
  Kind kind = Kind::end;
  std::string condition = {};  ///< the type of the condition, in lower case
  std::string status = "true";
};

/// Parses the conditions of `kubectl wait --for` ("delete", "condition=Complete",
/// "condition=Complete=false"), "running" (the job is running) and "end", which is also the meaning of an
/// empty text. Throws usage Error for any other text.
WaitGoal parse_wait_goal(std::string_view text);

struct WaitOptions {
  WaitGoal goal = {};
  /// Whether to stop waiting for a job for which waits_in_vain() is true. Other obstacles do not end the
  /// wait, because other people may remove them.
  bool gives_up_stuck = false;
  /// Whether a job of a kind that runs until it is deleted has reached its end once it runs.
  bool ends_with_running = false;
  std::optional<std::chrono::seconds> timeout = {};
  /// Called after each change, and every second, with the number of remaining jobs and one of these jobs.
  std::function<void(size_t open, const Json& job)> on_progress = {};
  /// Called when the reason why a job waits has changed, when the job starts to run, and when the cluster has
  /// disrupted one of its pods. Not called if there are more than ten jobs.
  std::function<void(const std::string& note)> on_note = {};
  /// Called with each remaining job after each change, and every second if on_pause or on_progress is set.
  /// After that, on_pause is called once. Both may send requests.
  std::function<void(const Json& job)> on_look = {};
  std::function<void()> on_pause = {};
  /// Called with the remaining jobs if a signal ends the wait.
  std::function<void(const std::vector<Json>& jobs)> on_interrupt = {};
};

/// Waits until all jobs have reached the goal, with one watch for each kind and namespace. Calls `on_end` for
/// each job that has reached the goal, or can no longer reach the goal because the job has ended or because
/// of `gives_up_stuck`. A job that is deleted before it has ended is treated as cancelled. Throws Error
/// (unreachable) at the timeout.
void wait_for(kube::Client& client, const std::vector<Json>& jobs, const WaitOptions& options,
              const Interrupt& interrupt,
              const std::function<void(const Json& job, const JobView&, bool reached)>& on_end);

}  // namespace kml::job
