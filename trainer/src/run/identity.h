#pragma once

#include "comm/meeting.h"
#include "data/dataset.h"
#include "run/options.h"

namespace trainer {

/// What a checkpoint must agree on with the run that continues it.
std::map<std::string, std::string> identity(const Options& options, const Dataset& data);

/// What ranks must agree on to train together.
Configuration configuration(const Options& options, const Dataset& data);

}  // namespace trainer
