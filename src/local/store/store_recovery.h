#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace kml::local {

/// Describes the damage of a store that no server has open; empty if it has none. Throws Error if another
/// version of kml wrote the store.
std::string damage_of_store(const std::filesystem::path& file);

struct RecoveredStore {
  size_t objects = 0;
  std::set<std::string> pods;  ///< their uids
};

/// Copies everything readable from the `damaged` store into the new file `fresh`, which must not exist.
RecoveredStore recover_store(const std::filesystem::path& damaged, const std::filesystem::path& fresh);

}  // namespace kml::local
