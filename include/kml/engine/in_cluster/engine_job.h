#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/engine/watching/owned_objects.h"

namespace kml::engine {

/// Settings for running an engine in the cluster, where kml itself runs as a Job of one pod.
struct EngineOptions {
  std::string image;            ///< with kml in its PATH
  std::string claim, sub_path;  ///< the journal's volume, and a folder in it; empty without a journal
  std::string service_account;  ///< empty: a new one is created
  std::string user;             ///< the submitter, for a label
};

Json to_json(const EngineOptions& options);
EngineOptions engine_options_from_json(const Json& json);

/// The settings that a pod needs to read a repository with git.
struct GitAccess {
  std::string repository;
  /// A Secret of type kubernetes.io/basic-auth, or kubernetes.io/ssh-auth with known_hosts; empty if anyone
  /// may read the repository.
  std::string secret = {};
};

/// As {"repository", "secret"}.
Json to_json(const GitAccess& git);
GitAccess git_access_from_json(const Json& json);

/// The differences between the engines of sweeps and of pipelines.
struct EngineProgram {
  std::vector<std::string> command;
  Json rules;                           ///< the rules of its Role (rbac/v1 PolicyRule)
  std::vector<std::string> files = {};  ///< Secrets to mount in kEngineFiles, with a file for each key
  /// Secrets with environment variables.
  std::vector<std::string> variables = {};
  std::optional<GitAccess> git = {};  ///< for checkouts in kEngineWork
};

/// The folder of the pod's files, and a folder for temporary files.
inline constexpr const char* kEngineFiles = "/kml/files";
inline constexpr const char* kEngineWork = "/kml/work";

/// The label of the objects that belong to an engine itself, not to its jobs: "kml.dev/sweep-engine".
std::string engine_label(const EngineMarks& marks);

/// "lr1-engine": the name of the Job and of its ServiceAccount, Role and RoleBinding.
std::string engine_name(const std::string& name);

/// The rights of every engine: to create jobs of these kinds, to watch the jobs with their pods and logs, and
/// to write its own ConfigMaps. `kinds` have the form "batch/jobs".
Json engine_rules(const EngineMarks& marks, const std::vector<std::string>& kinds);
/// A PolicyRule.
Json rule(const std::string& group, const std::string& resource, const std::vector<std::string>& verbs);

/// The objects of the engine, ending with the Job that runs the program. If no ServiceAccount is given, they
/// include a new one with its rights.
std::vector<Json> engine_objects(const EngineMarks& marks, const EngineOptions& options,
                                 const EngineProgram& program);

}  // namespace kml::engine
