#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/packages/indexes.h"
#include "job/packages/requirement_lines.h"
#include "job/packages/uv_lock.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::packages {

/// The packages that a folder's files ask for. Where the files leave the version open, uv or, for conda
/// packages, py-rattler chooses it.
struct Requested {
  enum class Kind { script, project, requirements, conda };
  Kind kind = Kind::project;
  std::filesystem::path file;  ///< absolute
  std::string shown;           ///< the file's name in messages
  std::string python;          ///< requires-python, such as ">=3.11"; may be empty
  std::string pin;             ///< the version in .python-version, such as "3.12"; may be empty
  std::vector<std::string> requirements, constraints, overrides;
  std::vector<std::string> options;  ///< the options in a requirements file, see RequirementLines
  bool requires_hashes = false;      ///< --require-hashes in a requirements file
  Indexes indexes;                   ///< the indexes that the file names
  /// for a project: the extras and groups to install besides its dependencies
  std::vector<std::string> extras, groups;
  Json keys;                          ///< for a script or a project: as in a pyproject.toml
  UvLock lock;                        ///< the lock of uv
  std::vector<std::string> channels;  ///< for conda: the channels' names, URLs or folders
  /// for conda: the packages, such as "numpy=1.26"; `requirements` then has only the packages for pip
  std::vector<std::string> conda_packages;
  std::vector<std::string> notes;  ///< messages for the user
  std::vector<Power> powers;       ///< the settings that need the user's trust
  std::string text;                ///< what determines the lock, as one text

  /// Throws usage Error unless the user trusts the files that contain the settings in `powers`.
  void require_trust() const;
  /// Whether the files contain settings that need the user's trust. After require_trust(), they have that
  /// trust.
  bool has_powers() const { return !powers.empty(); }
};

/// Reads the files for --uv, --requirements and --conda. For --uv, the file is the script (the first word of
/// the command that names a Python file in `folder`) if it has a header, or else the pyproject.toml in
/// `folder` or `root`. Throws usage Error if no file asks for packages, or if a file is invalid.
Requested requested_packages(const spec::Packages& packages, const std::vector<std::string>& command,
                             const std::filesystem::path& folder, const std::filesystem::path& root);

/// The text of the file to which trust applies: of a script, only the header, so that its code may change.
std::string trusted_text(const std::filesystem::path& file, const std::string& text);

}  // namespace kml::packages
