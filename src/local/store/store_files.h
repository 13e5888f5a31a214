#pragma once

#include <filesystem>
#include <string>

namespace kml::local {

/// Faults in a store's files that SQLite does not report: SQLite treats an empty file as a new database, and
/// ignores a journal with a damaged header. Empty if there are none.
std::string damage_of_files(const std::filesystem::path& store);

/// Restores the numbers in the headers of the database and its journal that are the same in every store of
/// kml ("Database File Format" of SQLite, sections 1.3 and 4.1), and copies the salts in a damaged journal
/// header from the journal's first frame, so that SQLite can read the rest.
void restore_headers(const std::filesystem::path& store);

}  // namespace kml::local
