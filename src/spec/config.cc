#include "kml/spec/config.h"

#include <algorithm>
#include <set>

#include "kml/core/files.h"
#include "kml/spec/submit_spec.h"
#include "spec/config_file.h"

namespace fs = std::filesystem;

namespace kml::spec {

namespace {

bool is_config_key(std::string_view name) {
  return std::find(std::begin(kConfigKeys), std::end(kConfigKeys), name) != std::end(kConfigKeys);
}

void add_environment(const ConfigSources& sources, std::vector<Setting>& settings) {
  const auto add = [&](std::string_view name, std::string_view key) {
    const std::string variable = variable_name(key);
    std::string value = sources.variable(variable.c_str());
    if (!value.empty())
      settings.push_back({std::string(name), std::move(value), {Source::environment, variable, 0, 0}});
  };
  add("context", "context");
  add("namespace", "namespace");
  for (const Flag& flag : submit_flags())
    if (!flag.key.empty() && !flag.repeats) add(flag.name, flag.key);
}

void add_file(const fs::path& file, const std::string& text, const std::string& shown, Source source,
              std::vector<Setting>& settings, std::vector<Problem>& problems) {
  for (Setting& setting : read_config(text, shown, source, problems)) {
    if (setting.name == "templates") setting.value = (file.parent_path() / setting.value).lexically_normal();
    settings.push_back(std::move(setting));
  }
}

}  // namespace

std::string variable_name(std::string_view key) {
  std::string name = "KML_";
  for (char c : key) name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

const Setting* Config::find(std::string_view name) const {
  auto found =
      std::find_if(settings.rbegin(), settings.rend(), [&](const Setting& s) { return s.name == name; });
  return found == settings.rend() ? nullptr : &*found;
}

std::string Config::value(std::string_view name, const std::string& fallback) const {
  const Setting* setting = find(name);
  return setting ? setting->value : fallback;
}

std::vector<Setting> Config::submit_settings() const {
  std::vector<Setting> result;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(result),
               [](const Setting& setting) { return !is_config_key(setting.name); });
  return result;
}

std::vector<fs::path> Config::template_folders() const {
  std::vector<fs::path> folders;
  for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting)
    if (setting->name == "templates") folders.emplace_back(setting->value);
  return folders;
}

std::vector<Setting> Config::effective() const {
  std::vector<Setting> result;
  std::set<std::string> seen;
  for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting) {
    const Flag* flag = submit_flag(setting->name);
    std::string identity = setting->name;
    if (flag && flag->is_map)
      identity += " " + setting->value.substr(0, setting->value.find('='));
    else if ((flag && flag->repeats) || setting->name == "templates")
      identity += " " + setting->value;
    if (seen.insert(identity).second) result.push_back(*setting);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

ConfigSources config_sources() {
  return {fs::current_path(), config_folder() / "config.yaml", environment};
}

Config load_config(const ConfigSources& sources) {
  Config config;
  Error error = usage_error("the configuration is not right");
  config.settings.push_back(
      {"templates", sources.user_file.parent_path() / "templates", {Source::builtin, "default", 0, 0}});
  if (fs::exists(sources.user_file))
    add_file(sources.user_file, read_file(sources.user_file), sources.user_file, Source::user_file,
             config.settings, error.problems);
  if (auto file = find_upwards(sources.folder, kProjectFile)) {
    config.project = {*file, file->lexically_proximate(sources.folder), read_own_file(*file)};
    add_file(*file, config.project->text, config.project->shown, Source::project_file, config.settings,
             error.problems);
  }
  add_environment(sources, config.settings);

  for (const Setting& setting : config.settings)
    if (is_config_key(setting.name))
      if (std::string problem = config_value_problem(setting); !problem.empty())
        error.problems.push_back(setting.origin.problem(std::move(problem)));
  try {
    parse_settings(config.submit_settings());
  } catch (const Error& wrong) {
    error.problems.insert(error.problems.end(), wrong.problems.begin(), wrong.problems.end());
  }
  if (!error.problems.empty()) throw error;
  return config;
}

}  // namespace kml::spec
