#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::packages {

/// Where the files that ask for packages say that packages are. The URLs may contain passwords.
struct Indexes {
  std::string first;                    ///< instead of PyPI; may be empty
  std::vector<std::string> more;        ///< each a URL or NAME=URL
  std::vector<std::string> find_links;  ///< URLs, and absolute paths of folders
};

/// Those of a table [tool.uv], whose relative paths begin at this folder.
Indexes indexes_of_uv(const Json& uv, const std::filesystem::path& folder);

/// Those of a requirements file, from its options, such as "--index-url URL".
Indexes indexes_of_options(const std::vector<std::string>& options);

/// The variables by which uv in a pod finds the same packages: those of the indexes, the user's own, and the
/// passwords of indexes with names (UV_INDEX_NAME_PASSWORD). They must only be stored in Secrets.
Json index_variables(const Indexes& indexes, bool is_local, std::vector<std::string>& notes);

Json json_of(const Indexes& indexes);
Indexes indexes_in(const Json& json);

}  // namespace kml::packages
