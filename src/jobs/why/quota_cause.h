#pragma once

#include <optional>
#include <string>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// From "exceeded quota: few, requested: requests.nvidia.com/gpu=1, used: …=3, limited: …=3", and from
/// "failed quota: few: must specify limits.cpu for: main"; empty for other texts.
std::optional<Cause> cause_of_quota_refusal(const Facts& facts, const std::string& text);

}  // namespace kml::jobs
