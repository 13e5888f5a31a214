#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/yaml.h"
#include "kml/job/spec/setting.h"

namespace kml::spec {

inline constexpr std::string_view kProjectFile = "kml.yaml";

/// The kml.yaml in use, and its text.
struct ProjectFile {
  std::filesystem::path path;  ///< absolute
  std::string shown;           ///< the path for messages, relative to the current folder
  std::string text;
};

/// Defaults from the user's file, the project's file and the environment. Each value has its origin.
///
/// A file may have the keys of submit_flags() and these:
///
///     context: prod          # which cluster
///     namespace: research
///     templates: ./templates # a folder of templates or a list of folders, relative to the file; the folder
///                            # `templates` beside the user's file is always included
///     record: true           # `kml run` on this machine records what steps read
///
/// The environment variables are KML_CONTEXT, KML_NAMESPACE, and KML_<KEY> for each key of submit_flags()
/// that takes one value.
struct Config {
  /// All settings: the flags of submit, by their names, and "context", "namespace", "templates" and "record".
  /// If a flag takes one value, its last setting takes precedence.
  std::vector<Setting> settings;
  std::optional<ProjectFile> project;

  /// The setting that is in effect for a name; nullptr if there is none.
  const Setting* find(std::string_view name) const;
  /// The value that is in effect for a name, or the fallback.
  std::string value(std::string_view name, const std::string& fallback = {}) const;
  /// The settings for submit's flags. Settings from the command line come after them.
  std::vector<Setting> submit_settings() const;
  /// The template folders; the project's come first.
  std::vector<std::filesystem::path> template_folders() const;
  /// The settings that are in effect, without overridden ones, for `kml config view --origin`.
  std::vector<Setting> effective() const;
};

/// Whether the text is the path of a template file ("./own.yaml"), not a template's name.
bool is_template_file(std::string_view text);

/// The environment variable for a key: KML_NODE_SELECTOR for "node-selector".
std::string variable_name(std::string_view key);

/// The settings in a mapping with these keys. Adds each fault to `problems` with its position.
std::vector<Setting> read_settings(const yaml::Node& mapping, const std::string& file, Source source,
                                   std::vector<Problem>& problems);

/// The sources that load_config() reads. Tests replace these.
struct ConfigSources {
  std::filesystem::path folder;     ///< kml.yaml is searched for here, then in the parent folders
  std::filesystem::path user_file;  ///< config_folder()/config.yaml
  /// reads the environment; empty means that the variable is not set
  std::function<std::string(const char*)> variable;
};

/// The sources of this process.
ConfigSources config_sources();

/// Throws a single usage Error with all problems in all files and variables. Also throws if kml.yaml belongs
/// to another user. The result includes settings that an untrusted kml.yaml must not choose: see
/// untrusted_settings().
Config load_config(const ConfigSources& sources);

}  // namespace kml::spec
