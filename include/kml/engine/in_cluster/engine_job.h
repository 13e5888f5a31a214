#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/engine/watching/owned_objects.h"

namespace kml::engine {

/// Settings for an engine in the cluster, where kml itself runs as a Job with one pod.
struct EngineOptions {
  std::string image;  ///< an image that has kml in its PATH
  /// the volume for the journal, and a folder on it; empty if there is no journal
  std::string claim, sub_path;
  std::string service_account;  ///< the service account; if empty, a new one is created
  std::string user;             ///< the user who submits the engine, for a label and the variable USER
};

Json to_json(const EngineOptions& options);
EngineOptions engine_options_from_json(const Json& json);

/// The files and settings with which a pod reads a repository by git.
struct GitAccess {
  std::string repository;
  /// A Secret of the type kubernetes.io/basic-auth, or kubernetes.io/ssh-auth with known_hosts. Empty if
  /// anyone may read the repository.
  std::string secret = {};
};

/// As JSON: {"repository", "secret"}.
Json to_json(const GitAccess& git);
GitAccess git_access_from_json(const Json& json);

/// The differences between the engines of sweeps and of pipelines.
struct EngineProgram {
  std::vector<std::string> command;
  Json rules;  ///< the rules for the engine's Role (rbac/v1 PolicyRule)
  /// Secrets that are mounted in kEngineFiles, with a file for each key
  std::vector<std::string> files = {};
  /// Secrets whose keys become environment variables.
  std::vector<std::string> variables = {};
  std::optional<GitAccess> git = {};  ///< access to a repository, which is checked out in kEngineWork
};

/// The folder with the pod's files, and the folder for temporary files.
inline constexpr const char* kEngineFiles = "/kml/files";
inline constexpr const char* kEngineWork = "/kml/work";

/// The label on objects that belong to an engine itself, not to its jobs: "kml.dev/sweep-engine".
std::string engine_label(const EngineMarks& marks);

/// The name of the Job and of its ServiceAccount, Role and RoleBinding, such as "lr1-engine".
std::string engine_name(const std::string& name);

/// The rights that every engine needs: to create, watch and change jobs of these kinds, to watch and change
/// pods, to read logs, and to write ConfigMaps. `kinds` have the form "batch/jobs".
Json engine_rules(const EngineMarks& marks, const std::vector<std::string>& kinds);
/// A PolicyRule.
Json rule(const std::string& group, const std::string& resource, const std::vector<std::string>& verbs);

/// The engine's objects. The last one is the Job that runs the program. If the options do not name a
/// ServiceAccount, the objects include a new one with its rights.
std::vector<Json> engine_objects(const EngineMarks& marks, const EngineOptions& options,
                                 const EngineProgram& program);

}  // namespace kml::engine
