#pragma once

#include <span>

#include "kml/base/json.h"

namespace kml::job {

/// Whether a Job or PyTorchJob reached its time limit while it waited. The limit starts at the job's
/// startTime, which is when the job's controller first saw it. False if this is not certain.
bool ended_while_it_waited(const Json& job, std::span<const Json* const> pods);

/// What became of a job that was deleted before it had ended: "deleted before it started" if its status shows
/// that its controller had not started it, otherwise "deleted".
std::string deletion_in_words(const Json& job);

}  // namespace kml::job
