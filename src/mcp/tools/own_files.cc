#include "mcp/tools/own_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "kml/base/error.h"
#include "mcp/tools/answer.h"

namespace kml::mcp {

namespace {

namespace fs = std::filesystem;

/// The flags whose values are files or folders on this machine, if they are paths at all.
constexpr auto kPaths = std::to_array<std::string_view>(
    {"--file", "-f", "--code", "--requirements", "--template", "--warm-start"});

/// The file in the value of a flag; empty if it has none.
std::string file_in(std::string_view flag, const std::string& value) {
  if (flag == "--secret") {
    const size_t at = value.find("=@");
    return at == std::string::npos ? "" : value.substr(at + 2);
  }
  if (flag == "--mount") {  // "pvc/NAME:PATH" has no source on this machine
    const std::string source = value.substr(0, value.find(':'));
    return source.starts_with('/') || source.starts_with('.') || source.starts_with('~') ? source : "";
  }
  return std::find(kPaths.begin(), kPaths.end(), flag) == kPaths.end() ? "" : value;
}

bool is_own(const std::string& file) {
  std::error_code none;
  const fs::path folder = fs::canonical(fs::current_path(none), none),
                 path = fs::weakly_canonical(folder / file, none).lexically_relative(folder);
  if (none || file.starts_with('~') || path.empty()) return false;
  return path == "." || std::none_of(path.begin(), path.end(),
                                     [](const fs::path& name) { return name.native().starts_with('.'); });
}

void require_own(const std::string& file) {
  if (!file.empty() && !is_own(file))
    throw usage_error(
        "kml mcp does not read " + cleaned_text(file),
        "its content could reach the model, so kml mcp reads only files below the folder in which it was "
        "started, and none with a name that starts with a dot",
        "copy the file into the folder, or ask the user to run the command");
}

}  // namespace

void require_own_files(const CommandLine& line) {
  for (const std::string& word : line.options) {
    const size_t equals = word.find('=');
    const std::string flag = word.substr(0, equals),
                      value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (flag == "--env" && value.find('=') == std::string::npos)
      throw usage_error("argument env has no value for " + cleaned_text(value),
                        "kml mcp copies no variables from its environment, because the model could read them",
                        "--env NAME=VALUE, or --secret NAME for a secret");
    require_own(file_in(flag, value));
  }
  for (const std::string& name : line.names) require_own(name);  // of a pipeline's file, or of a job
}

}  // namespace kml::mcp
