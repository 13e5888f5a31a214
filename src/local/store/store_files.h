#pragma once

#include <filesystem>
#include <string>

namespace kml::local {

/// What is wrong with the files of a store, in so far as SQLite does not tell: it takes an empty file for a
/// new database, and ignores a journal whose header is damaged. Empty if nothing is.
std::string damage_of_files(const std::filesystem::path& store);

/// Gives the headers of the database and of its journal the numbers that are the same in every store of kml
/// ("Database File Format" of SQLite: sections 1.3 and 4.1), so that SQLite reads what follows them.
void restore_headers(const std::filesystem::path& store);

}  // namespace kml::local
