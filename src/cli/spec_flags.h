#pragma once

#include <vector>

#include "cli/command.h"
#include "kml/spec/setting.h"

namespace kml::cli {

/// The flags that say something about a job, each given one to be added to `settings`, which must outlive the
/// command.
void add_spec_flags(Command& command, std::vector<spec::Setting>& settings);

}  // namespace kml::cli
