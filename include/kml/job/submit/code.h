#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/submit/belongings.h"

namespace kml::job {

/// A file in a code folder.
struct CodeFile {
  std::string name;  ///< the path, relative to the folder
  uintmax_t size = 0;
  bool is_executable = false;
  bool is_link = false;
};

/// The files of the code, sorted by name: files that git tracks, and files that it does not ignore. Outside a
/// repository, all files except version-control data, virtual environments and well-known caches. Leaves out
/// hidden files if leaves_out_hidden_files() (hidden_files.h). Throws Error if git is needed and fails,
/// because ignored files may be secret. Outside a repository, does not read inner folders for which
/// `may_count` is false; its argument is a path relative to the folder.
std::vector<CodeFile> code_files(
    const std::filesystem::path& folder,
    const std::function<bool(const std::string& inner)>& may_count = [](const std::string&) { return true; });

/// The files as pack_code() packs them. Throws usage Error if the folder has no files, or if they are far too
/// large.
std::vector<CodeFile> files_to_pack(const std::filesystem::path& folder);

/// The folders in which new code files may appear, relative to the folder; "" is the folder itself. Leaves
/// out folders that git ignores; outside a repository, folders that code_files() leaves out. Throws Error as
/// code_files() does.
std::vector<std::string> code_folders(const std::filesystem::path& folder);

/// Notes about links that will not lead to the same file in a pod. Links are sent as links, so that nothing
/// outside the folder is sent. `is_local` means that the pods run on this machine and have its files.
std::vector<std::string> notes_of_links(const std::filesystem::path& folder,
                                        const std::vector<CodeFile>& files, bool is_local);

/// The code in a folder as an archive. The same files always give the same bytes and the same names.
struct Code {
  std::vector<std::string> parts;    ///< parts of a .tar.gz archive, each small enough for a Secret
  std::vector<std::string> secrets;  ///< the name of the Secret for each part
  std::string summary;               ///< a description of the files, such as "12 files, 34 KiB compressed"
  std::vector<std::string> notes;    ///< notes about the links in the folder, see notes_of_links()
};

/// Throws usage Error if the folder has no files, or if they are too large; the message then lists the
/// largest files.
Code pack_code(const std::filesystem::path& folder, bool is_local = true);

/// The Secrets with the parts. Other jobs with the same code share them.
std::vector<Belonging> code_belongings(const Code& code, const Marks& marks,
                                       const std::vector<Json>& objects);

/// The names with this prefix that the objects mention, such as those of Secrets with code
/// (kCodeSecretPrefix).
std::vector<std::string> secrets_of(const std::vector<Json>& objects, std::string_view prefix);

}  // namespace kml::job
