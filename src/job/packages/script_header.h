#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kml::packages {

/// The TOML in a script's header (PEP 723):
///
///     # /// script
///     # dependencies = ["numpy"]
///     # ///
///
/// Its lines have the same numbers as those of the script: empty lines precede it. Empty if the script has no
/// header. Throws usage Error if it has two, or one without an end; `file` is the script's name in the
/// message.
std::optional<std::string> script_header(std::string_view script, const std::string& file);

}  // namespace kml::packages
