#pragma once

#include <string_view>
#include <vector>

#include "kml/jobs/attempts/attempts.h"
#include "kml/jobs/views/disruption.h"

namespace kml::jobs {

/// The maximum expected difference between a node's clock and the API server's.
inline constexpr std::chrono::seconds kClockSkew{5};

/// Marks the attempt as ended by the disruption. Keeps a preemptor that is already known.
void add_disruption(Attempt& attempt, const Disruption& disruption);

/// The same for the attempt that was disrupted. If it is not in the list, adds it.
void add_disruption(std::vector<Attempt>& attempts, const Disruption& disruption);

/// Merges attempts that programs reported, oldest first, into those that the API still reports.
void add_told(std::vector<Attempt>& attempts, std::vector<Attempt> told);

/// Marks attempts before the last one as ended, even if their result is unknown.
void say_what_is_unknown(std::vector<Attempt>& attempts);

/// What starts a line by which a program reports one attempt of its run, followed by a JSON object:
/// {attempt, pod, node, start, first_step, end, last_step, reason}. trainer/README.md has the contract.
inline constexpr std::string_view kAttemptLine = "kml-attempt: ";

/// The attempts that the lines of a log tell of, by their number; of several lines about one, the last
/// counts. What is no such line is skipped, and so are attempts of others than `job`: those that began before
/// it was made, or in a pod whose name is not of it.
std::vector<Attempt> told_attempts(std::string_view log, const Json& job);

/// The same from the logs of the job's pods that have begun to run. A log that cannot be read tells nothing.
std::vector<Attempt> told_attempts(kube::Client& client, const Json& job, std::span<const Json* const> pods);

}  // namespace kml::jobs
