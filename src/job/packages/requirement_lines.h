#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"

namespace kml::packages {

/// A setting in a file that needs the user's trust, because it makes uv contact other servers, or read or run
/// other files, on this machine.
struct Power {
  std::filesystem::path file;
  Problem problem;
};

/// The name of a package, an extra or a group in the form in which names are compared
/// (https://packaging.python.org/en/latest/specifications/name-normalization).
std::string normal_name(std::string_view name);

/// Why the requirement (PEP 508, or a line of a requirements file) needs trust: it says where to find the
/// package, such as "x @ https://…", "./x" or "git+https://…", or it contains an environment variable,
/// several lines, or an option other than --hash. Empty if it needs no trust.
std::string power_in(std::string_view requirement);

/// A requirements file, without comments and with the files that it includes.
struct RequirementLines {
  std::vector<std::string> requirements;
  std::vector<std::string> constraints;  ///< the lines of files that -c names
  /// other options for uv: "--pre", and those that need trust, such as "--index-url URL"
  std::vector<std::string> options;
  std::vector<Power> powers;
  bool requires_hashes = false;  ///< --require-hashes
  std::string text;              ///< the text of all files
};

/// The path or the http URL that one of RequirementLines::options includes; empty for other options.
std::string included_place(std::string_view option);

bool is_http_url(std::string_view place);

/// Throws Error if a file cannot be read. `shown` is the file's name in problems.
RequirementLines read_requirements(const std::filesystem::path& file, const std::string& shown);

/// The lines of a text at a URL. All that it includes is in RequirementLines::options, with complete URLs.
RequirementLines requirements_at(const std::string& url, const std::string& text);

}  // namespace kml::packages
