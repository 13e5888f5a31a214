#include "kml/job/spec/config.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/spec/setting.h"
#include "kml/job/spec/submit_spec.h"
#include "kml/kube/objects/names.h"

namespace kml::spec {

namespace fs = std::filesystem;

namespace {

/// Keys in a kml.yaml that are not flags of submit.
constexpr std::string_view kConfigKeys[] = {"context", "namespace", "templates", "record"};

const Flag* flag_of_key(std::string_view key) {
  for (const Flag& flag : submit_flags())
    if (!flag.key.empty() && flag.key == key) return &flag;
  return nullptr;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys(std::begin(kConfigKeys), std::end(kConfigKeys));
  for (const Flag& flag : submit_flags())
    if (!flag.key.empty()) keys.emplace_back(flag.key);
  return keys;
}

class Reader {
 public:
  Reader(const std::string& file, Source source, std::vector<Problem>& problems)
      : file_(file), source_(source), problems_(problems) {}

  std::vector<Setting> read(const yaml::Node& root) {
    if (root.kind == yaml::Kind::null) return {};
    if (root.kind != yaml::Kind::mapping) wrong(root, {}, "the file must be a mapping");
    for (const yaml::Node::Entry& entry : root.entries) this->entry(entry);
    return std::move(settings_);
  }

 private:
  void entry(const yaml::Node::Entry& entry) {
    const std::string& key = entry.key.text;
    const bool is_own =
        std::find(std::begin(kConfigKeys), std::end(kConfigKeys), key) != std::end(kConfigKeys);
    const Flag* flag = flag_of_key(key);
    if (!is_own && !flag) {
      const std::string guess = did_you_mean(key, known_keys());
      wrong(entry.key, {},
            "unknown key \"" + key + "\"; " +
                (guess.empty() ? "known keys: " + join(known_keys(), ", ") : guess));
    } else if (flag && flag->is_map) {
      pairs(*flag, entry.value);
    } else if ((flag && flag->repeats) || key == "templates") {
      list(flag ? flag->name : key, key, entry.value);
    } else {
      scalar(flag ? flag->name : key, key, entry.value);
    }
  }

  void scalar(std::string_view name, const std::string& key, const yaml::Node& value) {
    if (value.kind != yaml::Kind::scalar)
      return wrong(value, key, "this must be a single value, not " + std::string(value.kind_name()));
    add(name, value.text, value.mark);
  }

  void list(std::string_view name, const std::string& key, const yaml::Node& value) {
    if (value.kind == yaml::Kind::scalar) return scalar(name, key, value);
    if (value.kind != yaml::Kind::sequence)
      return wrong(value, key, "this must be a list, not " + std::string(value.kind_name()));
    for (const yaml::Node& item : value.items) scalar(name, key, item);
  }

  void pairs(const Flag& flag, const yaml::Node& value) {
    if (value.kind != yaml::Kind::mapping)
      return wrong(value, std::string(flag.key),
                   "this must be a mapping, not " + std::string(value.kind_name()));
    for (const yaml::Node::Entry& pair : value.entries) {
      const bool is_plain = pair.value.kind == yaml::Kind::scalar || pair.value.kind == yaml::Kind::null;
      if (!is_plain && flag.name != "param") {
        wrong(pair.value, std::string(flag.key), "\"" + pair.key.text + "\" must be a single value");
        continue;
      }
      add(flag.name,
          pair.key.text + "=" + (is_plain ? pair.value.text : yaml::to_json(pair.value, file_).dump()),
          pair.value.mark);
    }
  }

  void add(std::string_view name, std::string value, yaml::Mark mark) {
    settings_.push_back({std::string(name), std::move(value), {source_, file_, mark.line, mark.column}});
  }

  void wrong(const yaml::Node& node, const std::string& path, std::string text) {
    problems_.push_back({file_, node.mark.line, node.mark.column, path, std::move(text)});
  }

  const std::string& file_;
  Source source_;
  std::vector<Problem>& problems_;
  std::vector<Setting> settings_;
};

/// Reads the text of a configuration file. Adds its problems to `problems`.
std::vector<Setting> read_config(std::string_view text, const std::string& file, Source source,
                                 std::vector<Problem>& problems) {
  try {
    return Reader(file, source, problems).read(yaml::parse_one(text, file, {.bytes = size_t{1} << 20}));
  } catch (const Error& error) {
    problems.insert(problems.end(), error.problems.begin(), error.problems.end());
    return {};
  }
}

/// The fault in a value of one of kConfigKeys; empty if the value is valid.
std::string config_value_problem(const Setting& setting) {
  if (setting.value.empty()) return setting.name + " is empty";
  if (setting.name == "record" && setting.value != "true" && setting.value != "false")
    return "record is neither true nor false";
  if (setting.name != "namespace") return {};
  const std::string problem = api::dns_label_problem(setting.value);
  return problem.empty() ? "" : "namespace \"" + setting.value + "\" " + problem;
}

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
    const bool is_folder_here = setting.name == "mount" && setting.value.starts_with('.');
    const bool is_file = setting.name == "template" && is_template_file(setting.value);
    if (setting.name == "templates" || setting.name == "requirements" || setting.name == "conda" ||
        is_folder_here || is_file)
      setting.value = (file.parent_path() / setting.value).lexically_normal();
    settings.push_back(std::move(setting));
  }
}

}  // namespace

std::vector<Setting> read_settings(const yaml::Node& mapping, const std::string& file, Source source,
                                   std::vector<Problem>& problems) {
  return Reader(file, source, problems).read(mapping);
}

bool is_template_file(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".yaml") || text.ends_with(".yml");
}

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
  Error error = usage_error("invalid configuration");
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
