#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace kml::fetch {

/// Data that was deleted.
struct Tidied {
  /// the Source::text() of the data, or its Source::key() if the text is unknown; for a file that a killed
  /// attempt has left, a description
  std::string source;
  std::uintmax_t bytes = 0;
};

/// Deletes from a store the data for which no process has called fetch_once() during this time, and the files
/// that killed attempts have left. Keeps the folders with the names in `kept`, because pods use them. With
/// `is_dry_run`, deletes nothing.
std::vector<Tidied> remove_unused(const std::filesystem::path& store, std::chrono::seconds unused_for,
                                  const std::set<std::string>& kept, bool is_dry_run);

}  // namespace kml::fetch
