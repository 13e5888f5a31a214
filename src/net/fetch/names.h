#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// The names of the files beside the folder KEY, which contains data: .KEY.lock, .KEY.used and .KEY.part.

namespace kml::fetch {

inline constexpr std::string_view kKeyStart = "kml-data-";
inline constexpr std::string_view kLock = ".lock";  ///< a file that the fetching process locks
inline constexpr std::string_view kUsed =
    ".used";  ///< a file with the source; its time is that of the last use
inline constexpr std::string_view kPart = ".part";  ///< the folder in which the data is collected

inline std::filesystem::path beside(const std::filesystem::path& folder, std::string_view ending) {
  return folder.parent_path() / ("." + folder.filename().string() + std::string(ending));
}

}  // namespace kml::fetch
