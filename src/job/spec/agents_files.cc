#include "job/spec/agents_files.h"

#include <algorithm>
#include <array>

#include "kml/base/agent.h"
#include "kml/job/spec/config.h"

namespace kml::spec {

namespace {

constexpr std::array<std::string_view, 3> kPaths = {"code", "requirements", "conda"};
constexpr std::array<std::string_view, 3> kVolumes = {"mount", "env-store", "data-store"};
constexpr std::string_view kOfNode = "host/";

/// The file or folder of this machine, or of a node, that the setting's value names; empty if it names none.
std::string file_in(const Setting& setting) {
  const std::string& value = setting.value;
  const std::string source = value.substr(0, value.find(':'));
  const auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), setting.name) != names.end();
  };
  if (is_one_of(kPaths)) return value;
  if (setting.name == "template") return is_template_file(value) ? value : "";
  if (const size_t at = value.find("=@"); setting.name == "secret" && at != std::string::npos)
    return value.substr(at + 2);
  if (is_one_of(kVolumes) && source.starts_with(kOfNode)) return "/" + source.substr(kOfNode.size());
  const bool is_path = source.starts_with('/') || source.starts_with('.') || source.starts_with('~');
  return is_path && (setting.name == "mount" || setting.name == "data") ? source : "";
}

}  // namespace

void require_agents_files(const Setting& setting) {
  const bool is_of_user =
      setting.origin.source == Source::user_file || setting.origin.source == Source::environment;
  if (is_of_user || !runs_for_agent()) return;
  if (const std::string file = file_in(setting); !file.empty()) require_agents_file(file);
}

}  // namespace kml::spec
