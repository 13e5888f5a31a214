#pragma once

#include <filesystem>

namespace kml::jobs {

/// Whether the folder (absolute) lies in a git repository. Without starting git, which costs more than the
/// rest of a submit.
bool is_in_repository(const std::filesystem::path& folder);

}  // namespace kml::jobs
