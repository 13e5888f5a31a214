#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/packages/indexes.h"
#include "job/packages/requirement_lines.h"
#include "job/packages/uv_lock.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::packages {

/// The packages that a folder asks for, as far as its files say. uv decides about their versions.
struct Requested {
  enum class Kind { script, project, requirements, conda };
  Kind kind = Kind::project;
  std::filesystem::path file;  ///< absolute
  std::string shown;           ///< the file's name in messages
  std::string python;          ///< requires-python, such as ">=3.11"; may be empty
  std::string pin;             ///< the version in .python-version, such as "3.12"; may be empty
  std::vector<std::string> requirements, constraints, overrides;
  std::vector<std::string> options;         ///< of a requirements file, see RequirementLines
  Indexes indexes;                          ///< those that the file names
  std::vector<std::string> extras, groups;  ///< of a project: what to install besides its dependencies
  Json keys;                                ///< for a script or a project: as in a pyproject.toml
  UvLock lock;                              ///< the lock of uv
  std::vector<std::string> channels;        ///< of conda: names, URLs and folders
  std::vector<std::string> conda_packages;  ///< such as "numpy=1.26"; `requirements` are then those for pip
  std::vector<std::string> notes;           ///< for the user
  std::vector<Power> powers;                ///< the settings that need the user's trust
  std::string text;                         ///< of all files that were read

  /// Throws usage Error unless the user trusts the files with powers.
  void require_trust() const;
  /// Whether the files have powers, which the user then trusts.
  bool has_powers() const { return !powers.empty(); }
};

/// For --uv, --requirements and --conda. For --uv: the script is the first word of the command that names a
/// Python file in `folder`, and the pyproject.toml is there or in `root`. Throws usage Error if there is
/// nothing that asks for packages, or if a file is invalid.
Requested requested_packages(const spec::Packages& packages, const std::vector<std::string>& command,
                             const std::filesystem::path& folder, const std::filesystem::path& root);

/// The text of the file to which trust applies: of a script, only the header, so that its code may change.
std::string trusted_text(const std::filesystem::path& file, const std::string& text);

}  // namespace kml::packages
