#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace kml::local {

/// Describes the damage in a store that no server has open; empty if there is none. Throws Error if a
/// different version of kml probably wrote the store, or if the disk is full.
std::string damage_of_store(const std::filesystem::path& file);

struct RecoveredStore {
  size_t objects = 0;
  std::set<std::string> pods;  ///< their uids
};

/// Copies everything readable from the `damaged` store into the new file `fresh`, which must not exist yet.
RecoveredStore recover_store(const std::filesystem::path& damaged, const std::filesystem::path& fresh);

}  // namespace kml::local
