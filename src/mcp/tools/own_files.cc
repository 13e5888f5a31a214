#include "mcp/tools/own_files.h"

#include <algorithm>
#include <string_view>

#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "mcp/tools/answer.h"

namespace kml::mcp {

namespace {

constexpr std::string_view kOfHost = "host/";

void require_own(const std::string& file) {
  if (!file.empty()) require_agents_file(file);
}

/// The file or folder on this machine that a flag's value names, according to the placeholder for the value
/// in help; empty if the value names none. Placeholders of paths in a pod are "PATH".
std::string file_in(std::string_view placeholder, const std::string& value) {
  if (const size_t at = value.find("=@"); placeholder.find("=@FILE") != std::string_view::npos)
    return at == std::string::npos ? "" : value.substr(at + 2);
  if (placeholder.starts_with("SOURCE:")) {  // "pvc/NAME:PATH" has no source on this machine
    const std::string source = value.substr(0, value.find(':'));
    if (source.starts_with(kOfHost)) return "/" + source.substr(kOfHost.size());
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

}  // namespace

void require_own_files(const Tool& kind, const CommandLine& line) {
  for (const std::string& word : line.options) {
    const size_t equals = word.find('=');
    const std::string flag = word.substr(0, equals),
                      value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (flag == "--env" && value.find('=') == std::string::npos)
      throw usage_error("argument env has no value for " + cleaned_text(value),
                        "kml mcp copies no variables from its environment, because the model could read them",
                        "--env NAME=VALUE; for a secret, ask the user to start kml mcp with --secret-names "
                        "NAME, and then give "
                        "--secret NAME");
    require_own(file_in(placeholder_of(kind, flag), value));
  }
  for (const std::string& name : line.names) require_own(name);  // names of pipeline files or of jobs
}

}  // namespace kml::mcp
