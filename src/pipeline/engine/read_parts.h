#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "kml/base/read_record.h"
#include "kml/pipeline/engine/key.h"

namespace kml::pipeline {

/// The name of the part that replaces "code" and the files of the command if it is known what a step read:
/// the digest of a list with a line for each name that it asked for.
inline constexpr const char* kReadPart = "read";

/// How the list describes a name at which nothing is.
inline constexpr const char* kMissing = " missing";

/// A code folder at one moment. All names are relative to it; it is ".".
struct CodeFolder {
  /// Its files, as in the list of the part "code": ` 644 SHA256` by name.
  std::map<std::string, std::string> files;
  std::function<PathKind(const std::string& name)> kind_of;
  std::function<std::map<std::string, PathKind>(const std::string& folder)> entries_of;
  /// What steps create beside their code is left out of listings.
  std::set<std::string> made_by_steps = {};
  /// kml's own folder, if it is in the code folder; otherwise empty.
  std::string state = {};
};

/// The folder as the reads found it. `files` are those that kml found before the step began.
CodeFolder folder_seen(std::map<std::string, std::string> files, const Reads& reads);
/// The folder as it is on disk.
CodeFolder folder_here(std::map<std::string, std::string> files, const std::string& path);

/// The list for kReadPart. The same list means that the step would find the same again, so it is independent
/// of what others have changed.
std::string read_list(const Reads& reads, const CodeFolder& folder);

/// What differed between the files that kml found before the step began and what the step found; empty if
/// nothing did. A result must not be reused then, because its key does not describe it.
std::string changed_before_read(const Reads& reads, const CodeFolder& seen);

/// Whether the file is one that programs create by themselves beside the code.
bool is_by_product(const std::string& name);

}  // namespace kml::pipeline
