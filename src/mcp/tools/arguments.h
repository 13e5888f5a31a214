#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "mcp/tools/catalog.h"

namespace kml::mcp {

/// The arguments of the tool's command: options, names, and the words after "--".
struct CommandLine {
  std::vector<std::string> options, names, program;

  /// All words, as they are typed after the command's own words.
  std::vector<std::string> words() const;
};
/// Throws usage Error for arguments that are missing or that the tool does not have, and for values of a
/// wrong type. `others` are the names of further arguments, which the caller reads itself.
CommandLine command_line(const Tool& tool, const Json& arguments,
                         const std::vector<std::string>& others = {});

}  // namespace kml::mcp
