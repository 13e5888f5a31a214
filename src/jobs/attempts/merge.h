#pragma once

#include <string_view>
#include <vector>

#include "kml/jobs/attempts/attempts.h"
#include "kml/jobs/views/disruption.h"

namespace kml::jobs {

/// By which the clocks of a node and of the API server may differ.
inline constexpr std::chrono::seconds kClockSkew{5};

/// A disruption of this attempt is why it ended; a name once known stays.
void add_disruption(Attempt& attempt, const Disruption& disruption);

/// The same for the one of the attempts that it befell; where there is none, it is all that is known of one.
void add_disruption(std::vector<Attempt>& attempts, const Disruption& disruption);

/// Adds what programs told, oldest first: to the attempt that the API reports, where that is still known.
void add_told(std::vector<Attempt>& attempts, std::vector<Attempt> told);

/// An attempt that was followed by another has ended, even if nobody tells how.
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
