#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::packages {

/// The package indexes that a project or a requirements file names. The URLs may contain passwords.
struct Indexes {
  std::string first;                    ///< the index that replaces PyPI, as URL or NAME=URL; may be empty
  std::vector<std::string> more;        ///< further indexes, each as URL or NAME=URL
  std::vector<std::string> find_links;  ///< URLs, and absolute paths of folders
};

/// The indexes in a table [tool.uv]. Its relative paths start at `folder`.
Indexes indexes_of_uv(const Json& uv, const std::filesystem::path& folder);

/// The indexes in the options of a requirements file, such as "--index-url URL".
Indexes indexes_of_options(const std::vector<std::string>& options);

/// The environment variables with which uv in a pod finds the same packages: variables for these indexes,
/// those that the user has set for uv, and the user names and passwords of indexes with names
/// (UV_INDEX_NAME_PASSWORD). The variables must only be stored in Secrets.
Json index_variables(const Indexes& indexes, bool is_local, std::vector<std::string>& notes);

/// The host and port in a URL, without a password; empty for other texts.
std::string host_in(const std::string& url);

/// The server of the default index, as messages name it: "PyPI".
std::string host_of_index(const Indexes& indexes);

Json json_of(const Indexes& indexes);
Indexes indexes_in(const Json& json);

}  // namespace kml::packages
