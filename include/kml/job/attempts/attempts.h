#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/records/records.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// A job's pod that is running or has run.
struct Attempt {
  std::string pod, uid, node;           ///< empty if unknown
  std::vector<std::string> containers;  ///< only from recorded_attempts()
  std::string index;                    ///< see index_in_job(); may be empty
  std::optional<Time> start, end;
  std::optional<int> exit_code;
  std::optional<long long> number;  ///< number of the attempt, from 1, if the program reported it
  std::optional<long long> first_step, last_step;  ///< first and last step, if the program reported them
  std::string result;                              ///< "Running", "Succeeded", or why it ended
  bool disrupted = false;                          ///< the cluster stopped it, by a preemption or otherwise
  bool preempted = false;
  std::string preempted_by;  ///< a job; empty if unknown
};

/// The result of an attempt that `kml cancel` ended.
inline constexpr std::string_view kCancelledAttempt = "cancelled";

/// The events of ended attempts of one job, or of all jobs if `job` is empty. Only the embedded server writes
/// such events.
std::vector<Json> attempt_events(kube::Client& client, const std::string& namespace_name,
                                 const std::string& job);

/// The attempts that these sources report, oldest first; sends no requests. `pods` and `events` are the job's
/// own. Only the embedded server has events of attempts. `told` is what the programs reported.
std::vector<Attempt> attempts_in(const Json& job, std::span<const Json* const> pods,
                                 std::span<const Json* const> events, std::vector<Attempt> told,
                                 const std::vector<Disruption>& disruptions);

/// The attempts that the logs of the job's started pods report. A log that cannot be read is treated as
/// empty.
std::vector<Attempt> told_attempts(kube::Client& client, const Json& job, std::span<const Json* const> pods);

/// The attempts that the embedded server has recorded, oldest first, even of deleted pods. A cluster has
/// none.
std::vector<Attempt> recorded_attempts(kube::Client& client, const Json& job);

/// All known attempts, oldest first. Sources: the existing pods and their logs, which report earlier attempts
/// (trainer/README.md); events of the embedded server; and for preemptors the run records and the scheduler's
/// events. If only an event names a preemptor, this function writes it into the run records.
std::vector<Attempt> attempts_of(kube::Client& client, const Json& job, const Submissions& records);

/// The attempts of a deleted job that a kml process recorded while watching it.
std::vector<Attempt> attempts_on_record(const Submissions& records, const std::string& run_id,
                                        const std::string& job_key);

}  // namespace kml::job
