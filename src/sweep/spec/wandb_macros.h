#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/json.h"

namespace kml::sweep {

/// The value as Python's str() prints it: True, None, [1, 'a'].
std::string python_text(const Json& value);

/// Whether W&B's agent replaces ${NAME} in a command by values of a trial.
bool is_argument_macro(std::string_view name);

/// The words that replace each macro for which is_argument_macro() is true. As in
/// wandb/sdk/launch/sweeps/utils.py, create_sweep_command_args().
std::map<std::string, std::vector<std::string>> argument_macros(
    const std::vector<std::pair<std::string, Json>>& values, std::uint64_t trial);

}  // namespace kml::sweep
