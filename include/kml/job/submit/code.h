#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kml/job/submit/belongings.h"

namespace kml::job {

/// A file of a code folder.
struct CodeFile {
  std::string name;  ///< relative to the folder
  uintmax_t size = 0;
  bool is_executable = false;
  bool is_link = false;
};

/// The files of the code, sorted by name: those that git tracks or does not ignore. Outside a repository, all
/// except version-control data and well-known caches. Throws Error if git is needed and fails, because
/// ignored files may be secret. Outside a repository, inner folders (relative to the folder) are not read if
/// `may_count` is false for them.
std::vector<CodeFile> code_files(
    const std::filesystem::path& folder,
    const std::function<bool(const std::string& inner)>& may_count = [](const std::string&) { return true; });

/// The folders in which code may be created, relative to the folder: "" is the folder itself. Leaves out
/// those that git ignores; outside a repository, those that code_files() leaves out. Throws Error as
/// code_files() does.
std::vector<std::string> code_folders(const std::filesystem::path& folder);

/// What to tell of links that will not lead to the same file in a pod: links stay links, so that nothing
/// outside the folder is sent. `is_local`: the pods run on this machine, and have its files.
std::vector<std::string> notes_of_links(const std::filesystem::path& folder,
                                        const std::vector<CodeFile>& files, bool is_local);

/// A folder's code as an archive. Equal files give equal bytes and equal names.
struct Code {
  std::vector<std::string> parts;    ///< pieces of a .tar.gz archive, each small enough for a Secret
  std::vector<std::string> secrets;  ///< the name of each part's Secret
  std::string summary;               ///< "12 files, 34 KiB compressed"
  std::vector<std::string> notes;    ///< of its links, see notes_of_links()
};

/// Throws usage Error if the folder has no files, or if they are too large; the error lists the largest ones.
Code pack_code(const std::filesystem::path& folder, bool is_local = true);

/// The Secrets of the parts; other jobs with the same code share them.
std::vector<Belonging> code_belongings(const Code& code, const Marks& marks,
                                       const std::vector<Json>& objects);

/// The names of the code Secrets that the objects mention.
std::vector<std::string> code_secrets_of(const std::vector<Json>& objects);

}  // namespace kml::job
