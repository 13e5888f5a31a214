#pragma once

#include <optional>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// Why the server refuses to make a job's pods, from the controller's newest FailedCreate event, where no pod
/// was made after it; empty where there is no such event.
std::optional<Cause> refused_pods(const Facts& facts);

/// The same from the text of a refusal: "pods "x" is forbidden: exceeded quota: …".
Cause cause_of_refusal(const Facts& facts, const std::string& message);

/// Where the events have expired: whether a quota of the namespace would refuse one more pod.
std::optional<Cause> refused_by_quota(const Facts& facts);

}  // namespace kml::jobs
