#pragma once

#include "comm/meeting.h"
#include "data/dataset.h"
#include "run/options.h"

namespace trainer {

/// The facts that must be the same in a checkpoint and in the run that continues it. Only "machine" may
/// differ.
std::map<std::string, std::string> identity(const Options& options, const Dataset& data);

/// The facts on which all ranks must agree to train together.
Configuration configuration(const Options& options, const Dataset& data);

}  // namespace trainer
