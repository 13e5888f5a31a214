#pragma once

#include <filesystem>
#include <string>

namespace kml::local {

/// The faults in the files of a store that SQLite does not report: it treats an empty file as a new database,
/// and ignores a journal whose header is damaged. Empty if the files have none.
std::string damage_of_files(const std::filesystem::path& store);

/// Gives the headers of the database and of its journal the numbers that are the same in every store of kml
/// ("Database File Format" of SQLite: sections 1.3 and 4.1), so that SQLite reads what follows them.
void restore_headers(const std::filesystem::path& store);

}  // namespace kml::local
