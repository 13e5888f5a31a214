#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "kml/base/read_record.h"
#include "kml/pipeline/engine/key.h"

namespace kml::pipeline {

/// The name of the part that replaces "code" and the files of the command if the reads of a step are known.
/// The part is the digest of a list with a line for each name that the step asked for.
inline constexpr const char* kReadPart = "read";

/// The list's text for a name that does not exist.
inline constexpr const char* kMissing = " missing";

/// A code folder at one moment. All names are relative to this folder, whose own name is ".".
struct CodeFolder {
  /// Its files, as in the list of the part "code": ` 644 SHA256` by name.
  std::map<std::string, std::string> files;
  std::function<PathKind(const std::string& name)> kind_of;
  std::function<std::map<std::string, PathKind>(const std::string& folder)> entries_of;
  /// The permission bits.
  std::function<unsigned(const std::string& name)> mode_of;
  /// The files that steps create beside their code. Listings leave them out.
  std::set<std::string> made_by_steps = {};
  /// kml's own folder, if it is in the code folder; otherwise empty.
  std::string state = {};
};

/// The folder in the state in which the step read it. `files` are the files that kml found before the step
/// began.
CodeFolder folder_seen(std::map<std::string, std::string> files, const Reads& reads);
/// The folder as it is on disk.
CodeFolder folder_here(std::map<std::string, std::string> files, const std::string& path);

/// The list for kReadPart. If the list is the same, the step would read the same again. Files that the step
/// did not read do not affect the list.
std::string read_list(const Reads& reads, const CodeFolder& folder);

/// A file whose state when the step read it differs from its state when kml found it, before the step began.
/// Empty if there is none. If there is one, the step's result must not be reused, because the key does not
/// describe that file.
std::string changed_before_read(const Reads& reads, const CodeFolder& seen);

/// Whether the file is one that programs create by themselves beside the code.
bool is_by_product(const std::string& name);

}  // namespace kml::pipeline
