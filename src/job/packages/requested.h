#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/packages/requirement_lines.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::packages {

/// The packages that a folder asks for, as far as its files say. uv decides about their versions.
struct Requested {
  enum class Kind { script, project, requirements, conda };
  Kind kind = Kind::project;
  std::filesystem::path file;  ///< absolute
  std::string shown;           ///< the file's name in messages
  std::string python;          ///< requires-python, such as ">=3.11"; may be empty
  std::vector<std::string> requirements, constraints, overrides;
  std::vector<std::string> options;   ///< the options in a requirements file, see RequirementLines
  std::vector<std::string> indexes;   ///< URLs that the file's [tool.uv] names
  std::string toml;                   ///< for a script or a project: as a pyproject.toml
  std::string uv_lock;                ///< the project's uv.lock; empty if there is none
  std::vector<std::string> channels;  ///< conda's channels: names, URLs and folders
  /// such as "numpy=1.26"; `requirements` then has the packages for pip
  std::vector<std::string> conda_packages;
  std::vector<std::string> notes;  ///< messages for the user
  std::vector<Power> powers;       ///< the settings that need the user's trust
  std::string text;                ///< the text of all files that were read

  /// Throws usage Error unless the user trusts the files with powers.
  void require_trust() const;
};

/// For --uv, --requirements and --conda. For --uv: the script is the first word of the command that names a
/// Python file in `folder`, and the pyproject.toml is there or in `root`. Throws usage Error if there is
/// nothing that asks for packages, or if a file is invalid.
Requested requested_packages(const spec::Packages& packages, const std::vector<std::string>& command,
                             const std::filesystem::path& folder, const std::filesystem::path& root);

/// The text of the file to which trust applies: of a script, only the header, so that its code may change.
std::string trusted_text(const std::filesystem::path& file, const std::string& text);

}  // namespace kml::packages
