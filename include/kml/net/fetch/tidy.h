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
  std::string source;  ///< as in Source::text(); its key if that is not known
  std::uintmax_t bytes = 0;
};

/// Deletes the data in a store that fetch_once() has not been asked for during this time, and what killed
/// attempts have left. Keeps the folders with these names, which pods use. With `is_dry_run`, deletes
/// nothing.
std::vector<Tidied> remove_unused(const std::filesystem::path& store, std::chrono::seconds unused_for,
                                  const std::set<std::string>& kept, bool is_dry_run);

}  // namespace kml::fetch
