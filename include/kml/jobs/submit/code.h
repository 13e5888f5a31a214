#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/jobs/submit/belongings.h"

namespace kml::jobs {

/// A file of a code folder.
struct CodeFile {
  std::string name;  ///< relative to the folder
  uintmax_t size = 0;
  bool is_executable = false;
  bool is_link = false;
};

/// The files that belong to the code, sorted by name: those that git tracks, or would; outside of a
/// repository all but version control's own and well-known caches. Throws Error if git is needed and
/// fails: what it would leave out may be secret.
std::vector<CodeFile> code_files(const std::filesystem::path& folder);

/// A folder's code, packed. The same files give the same bytes, and the same names.
struct Code {
  std::vector<std::string> parts;    ///< of a gzip-compressed tar archive: as much as a Secret can hold each
  std::vector<std::string> secrets;  ///< the name of each part's Secret
  std::string summary;               ///< "12 files, 34 KiB compressed"
};

/// Throws usage Error if there are no files, or too many to go along: with the largest ones.
Code pack_code(const std::filesystem::path& folder);

/// The Secrets of the parts; other jobs with the same code share them.
std::vector<Belonging> code_belongings(const Code& code, const Marks& marks,
                                       const std::vector<Json>& objects);

/// Names of the Secrets with code that the objects mention.
std::vector<std::string> code_secrets_of(const std::vector<Json>& objects);

}  // namespace kml::jobs
