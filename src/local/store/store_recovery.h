#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace kml::local {

/// What is wrong with a store that no server has open; empty if nothing is. Throws the Error of one that
/// another version of kml wrote.
std::string damage_of_store(const std::filesystem::path& file);

struct RecoveredStore {
  size_t objects = 0;
  std::set<std::string> pods;  ///< their uids
};

/// Writes what can be read of the `damaged` store into the file `fresh`, which must not exist.
RecoveredStore recover_store(const std::filesystem::path& damaged, const std::filesystem::path& fresh);

}  // namespace kml::local
