#include "kube/credentials/plugin_policy.h"

#include <unistd.h>

#include <filesystem>
#include <optional>

#include "kml/api/object.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/core/yaml.h"

namespace kml::kube {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargestFile = size_t{1} << 20;

Error refused(const std::string& command, const fs::path& file, const std::string& why) {
  return usage_error("may not run the command \"" + command + "\" for credentials",
                     file.string() + ": " + why,
                     "allow it there: kubectl kuberc set --section credentialplugin --policy Allowlist "
                     "--allowlist-entry command=" +
                         command);
}

/// The preferences that hold a policy; empty where there is no such file.
Json read_preferences(const fs::path& file) {
  const auto text = read_file_if_exists(file, kLargestFile);
  if (!text) return Json::object();
  try {
    for (const yaml::Node& document : yaml::parse(*text, file.string())) {
      Json preferences = yaml::to_json(document, file.string());
      if (api::kind_name(preferences) == "Preference") return preferences;
    }
  } catch (Error& error) {
    error.fix = "correct the file: it says which commands may be run for credentials";
    throw;
  }
  return Json::object();
}

/// The program that the name stands for, as Go's exec.LookPath.
std::optional<fs::path> look_up(const std::string& name) {
  auto is_program = [](const fs::path& path) {
    std::error_code fault;
    return fs::is_regular_file(path, fault) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return is_program(name) ? std::optional(fs::absolute(name).lexically_normal()) : std::nullopt;
  for (const std::string& folder : split(environment("PATH"), ':'))
    if (fs::path path = fs::path(folder) / name; !folder.empty() && is_program(path))
      return fs::absolute(path).lexically_normal();
  return {};
}

/// Before 1.36 an entry's field was called "name".
bool allows(const Json& entry, const std::string& command) {
  const std::string named = string_at(entry, {"command"}, string_at(entry, {"name"}));
  const auto program = look_up(command);
  return !named.empty() && program && program == look_up(named);
}

}  // namespace

void check_plugin_policy(const std::string& command) {
  const std::string variable = environment("KUBERC");
  if (variable == "off" || environment("KUBECTL_KUBERC") == "false") return;
  const fs::path file =
      variable.empty() ? fs::path(environment("HOME")) / ".kube/kuberc" : fs::path(variable);
  const Json preferences = read_preferences(file);
  const std::string policy = string_at(preferences, {"credentialPluginPolicy"}, "AllowAll");
  const Json& list = array_at(preferences, {"credentialPluginAllowlist"});
  if (policy == "DenyAll") throw refused(command, file, "credentialPluginPolicy is DenyAll");
  if (policy != "AllowAll" && policy != "Allowlist")
    throw refused(command, file, "credentialPluginPolicy is \"" + policy + "\", which kml does not know");
  if (policy == "AllowAll" && !list.empty())
    throw refused(command, file,
                  "it has a credentialPluginAllowlist, and credentialPluginPolicy is not Allowlist");
  if (policy == "AllowAll") return;
  for (const Json& entry : list)
    if (allows(entry, command)) return;
  throw refused(command, file, "it is not on the credentialPluginAllowlist");
}

}  // namespace kml::kube
