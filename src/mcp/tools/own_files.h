#pragma once

#include "mcp/tools/arguments.h"
#include "mcp/tools/catalog.h"

namespace kml::mcp {

/// Checks the command line of a plan of this kind. A plan reads files and variables on this machine, and
/// their content could reach the model in an error, in the plan or in the log of a job. Throws usage Error
/// for a file outside the current folder, for a file whose path contains a name that starts with a dot, and
/// for --env NAME, which would copy a value from the environment.
void require_own_files(const Tool& kind, const CommandLine& line);

}  // namespace kml::mcp
