#include "mcp/tools/own_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "kml/base/error.h"
#include "mcp/tools/answer.h"

namespace kml::mcp {

namespace {

namespace fs = std::filesystem;

/// The file or folder on this machine that a flag's value names, according to the placeholder for the value
/// in help; empty if the value names none. Placeholders of paths in a pod are "PATH".
std::string file_in(std::string_view placeholder, const std::string& value) {
  if (const size_t at = value.find("=@"); placeholder.find("=@FILE") != std::string_view::npos)
    return at == std::string::npos ? "" : value.substr(at + 2);
  if (placeholder.starts_with("SOURCE:")) {  // "pvc/NAME:PATH" has no source on this machine
    const std::string source = value.substr(0, value.find(':'));
    return source.starts_with('/') || source.starts_with('.') || source.starts_with('~') ? source : "";
  }
  const auto mentions = [&](std::string_view word) {
    return placeholder.find(word) != std::string_view::npos;
  };
  return mentions("FILE") || mentions("DIR") || mentions("FOLDER") || mentions("TEMPLATE") ? value : "";
}

std::string_view placeholder_of(const Tool& kind, std::string_view flag) {
  const auto found = std::find_if(kind.properties.begin(), kind.properties.end(),
                                  [&](const Tool::Property& each) { return each.flag == flag; });
  return found == kind.properties.end() ? std::string_view() : found->value_name;
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

void require_own_files(const Tool& kind, const CommandLine& line) {
  for (const std::string& word : line.options) {
    const size_t equals = word.find('=');
    const std::string flag = word.substr(0, equals),
                      value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (flag == "--env" && value.find('=') == std::string::npos)
      throw usage_error("argument env has no value for " + cleaned_text(value),
                        "kml mcp copies no variables from its environment, because the model could read them",
                        "--env NAME=VALUE, or --secret NAME for a secret");
    require_own(file_in(placeholder_of(kind, flag), value));
  }
  for (const std::string& name : line.names) require_own(name);  // names of pipeline files or of jobs
}

}  // namespace kml::mcp
