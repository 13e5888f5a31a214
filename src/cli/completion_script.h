#pragma once

#include <string>

namespace kml::cli {

/// A script for "bash", "zsh" or "fish": what may stand at the cursor it asks `kml __complete`.
std::string completion_script(const std::string& shell);

}  // namespace kml::cli
