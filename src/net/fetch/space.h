#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kml::fetch {

/// How many bytes of the file at this path are still missing in the folder.
std::uintmax_t bytes_missing(const std::filesystem::path& folder, const std::string& path,
                             std::uintmax_t size);

/// Throws Error if the folder's volume has less free space than this. `what` is the name of the data for the
/// message.
void require_space(const std::filesystem::path& folder, std::uintmax_t bytes, const std::string& what);

}  // namespace kml::fetch
