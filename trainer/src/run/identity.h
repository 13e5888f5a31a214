#pragma once

#include "comm/meeting.h"
#include "data/dataset.h"
#include "run/options.h"

namespace trainer {

/// The facts that a checkpoint and the run that continues it must have in common.
std::map<std::string, std::string> identity(const Options& options, const Dataset& data);

/// The facts on which ranks must agree to train together.
Configuration configuration(const Options& options, const Dataset& data);

}  // namespace trainer
