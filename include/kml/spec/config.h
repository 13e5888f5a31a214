#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/yaml.h"
#include "kml/spec/setting.h"

namespace kml::spec {

inline constexpr std::string_view kProjectFile = "kml.yaml";

/// The kml.yaml in force, as it was read.
struct ProjectFile {
  std::filesystem::path path;  ///< absolute
  std::string shown;           ///< from the current folder, as messages name it
  std::string text;
};

/// Defaults from the user's file, the project's file and the environment. Each value knows where it is from.
///
/// A file holds the keys of submit_flags(), and
///
///     context: prod          # which cluster
///     namespace: research
///     templates: ./templates # a folder of templates, or a list of them, from the file's own folder; the
///                            # folder `templates` beside the user's file is always one
///
/// Of the environment KML_CONTEXT, KML_NAMESPACE and KML_<KEY> count, for the keys that take one value.
struct Config {
  /// Everything that was set, in order of rising precedence: flags of submit by their names, and "context",
  /// "namespace" and "templates".
  std::vector<Setting> settings;
  std::optional<ProjectFile> project;

  /// The setting that counts for a name, or nullptr.
  const Setting* find(std::string_view name) const;
  /// Its value, or the fallback.
  std::string value(std::string_view name, const std::string& fallback = {}) const;
  /// Settings of submit's flags, to be followed by those of the command line.
  std::vector<Setting> submit_settings() const;
  /// Folders of templates, the project's first.
  std::vector<std::filesystem::path> template_folders() const;
  /// The settings in force, without those that they override: for `kml config view --origin`.
  std::vector<Setting> effective() const;
};

/// The variable of a key: KML_NODE_SELECTOR of "node-selector".
std::string variable_name(std::string_view key);

/// The settings that a mapping with such keys makes. What does not fit is added to `problems`, at its place.
std::vector<Setting> read_settings(const yaml::Node& mapping, const std::string& file, Source source,
                                   std::vector<Problem>& problems);

/// What load_config() reads; the fields are set apart for tests.
struct ConfigSources {
  std::filesystem::path folder;                      ///< kml.yaml is looked for here and above
  std::filesystem::path user_file;                   ///< config_folder()/config.yaml
  std::function<std::string(const char*)> variable;  ///< the environment; empty means unset
};

/// Of this process.
ConfigSources config_sources();

/// Throws one Error (usage) with every problem of all files, or that kml.yaml belongs to another user. What
/// an untrusted kml.yaml may not choose stands in it all the same: see untrusted_settings().
Config load_config(const ConfigSources& sources);

}  // namespace kml::spec
