#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/base/process.h"

namespace kml::packages {

/// The variables by which the user tells uv which indexes to use, and how.
inline constexpr const char* kIndexVariables[] = {"UV_DEFAULT_INDEX",   "UV_INDEX",        "UV_INDEX_URL",
                                                  "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS",   "UV_OFFLINE",
                                                  "UV_INDEX_STRATEGY",  "UV_EXCLUDE_NEWER"};

/// A Python on this machine.
struct Interpreter {
  std::string path, version;
};

/// The uv on this machine. kml lets it neither build packages here, because that would run their code, nor
/// download a Python. kml makes it ignore the uv.toml of a project's folder.
class Uv {
 public:
  /// Throws Error if uv is not installed, or cannot run. `what_for` is the flag that needs it.
  explicit Uv(const std::string& what_for);

  const std::string& path() const { return path_; }
  const std::string& version() const { return version_; }

  /// A Python that fits `wanted`, such as ">=3.11"; any if that is empty. Throws Error if there is none.
  Interpreter find_python(const std::string& wanted, const std::string& asked_by) const;

  /// Runs uv with these words in the folder. Its errors are part of the output. `variables` ("NAME=VALUE")
  /// are added to those of this process.
  ProcessResult run(std::vector<std::string> words, const std::filesystem::path& folder,
                    const std::vector<std::string>& variables = {}) const;

  /// The file with the user's own configuration of uv, or else with this machine's; empty if there is none.
  static std::filesystem::path own_config();
  /// The flags that make uv use the user's configuration instead of a folder's.
  static std::vector<std::string> own_config_flags();

 private:
  std::string path_, version_;
};

/// The lower bound in requires-python, such as "3.11" for ">=3.11,<4"; empty if there is none.
std::string lowest_python(const std::string& requires_python);

/// Whether version "3.9" is older than "3.10".
bool is_older(const std::string& version, const std::string& other);

/// uv's reason in one line, without the symbols and labels ("error:") that uv puts before it.
std::string reason_in(const std::string& output);

}  // namespace kml::packages
