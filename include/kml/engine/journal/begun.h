#pragma once

#include <filesystem>

namespace kml::engine {

/// Whether the journal in the folder has a line. True as well if it cannot be read: whoever reads it then
/// gets the reason. A journal without a complete line, which no process is writing, counts as damaged; see
/// note_damage().
bool has_begun(const std::filesystem::path& folder);

}  // namespace kml::engine
