#pragma once

#include <string_view>
#include <vector>

#include "kml/job/attempts/attempts.h"
#include "kml/job/views/disruption.h"

namespace kml::job {

/// The maximum expected difference between a node's clock and the API server's.
inline constexpr std::chrono::seconds kClockSkew{5};

/// Marks the attempt as ended by the disruption. Keeps a known preemptor if the disruption names none.
void add_disruption(Attempt& attempt, const Disruption& disruption);

/// The reason of an end that is not a real disruption: a user has suspended the job.
inline constexpr std::string_view kSuspended = "Suspended";

/// Marks the attempts that were disrupted. Adds an attempt that is missing. If a disruption names no pod, it
/// is about all pods of the job, and the attempt that it adds stands for all of them.
void add_disruptions(std::vector<Attempt>& attempts, const std::vector<Disruption>& disruptions);

/// Merges attempts that programs reported, oldest first, into those that the API still reports.
void add_told(std::vector<Attempt>& attempts, std::vector<Attempt> told);

/// Fills in the results that are still empty: an attempt that another one followed has ended in an unknown
/// way, and any other attempt is running.
void say_what_is_unknown(std::vector<Attempt>& attempts);

/// The prefix of a line in which a program reports an attempt of its run. A JSON object follows: {attempt,
/// pod, node, start, first_step, end, last_step, reason}. trainer/README.md defines the contract.
inline constexpr std::string_view kAttemptLine = "kml-attempt: ";

/// The attempts reported in a log, by number. If several lines report an attempt, the last line is used.
/// Skips other lines, and the attempts of other jobs: those that started before `job` was created, or in a
/// pod whose name cannot belong to `job`.
std::vector<Attempt> told_attempts(std::string_view log, const Json& job);

}  // namespace kml::job
