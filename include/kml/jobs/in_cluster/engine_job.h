#pragma once

#include <string>
#include <vector>

#include "kml/jobs/watching/owned_objects.h"

namespace kml::jobs {

/// How an engine is run in the cluster: kml itself as a Job of one pod.
struct EngineOptions {
  std::string image;            ///< with kml in its PATH
  std::string claim, sub_path;  ///< the volume of its journal, and a folder of it; empty if it keeps none
  std::string service_account;  ///< empty: one is created
  std::string user;             ///< who submitted it, as a label
};

Json to_json(const EngineOptions& options);
EngineOptions engine_options_from_json(const Json& json);

/// What differs between the engines of sweeps and of pipelines.
struct EngineProgram {
  std::vector<std::string> command;
  Json rules;                           ///< of its Role (rbac/v1 PolicyRule)
  std::vector<std::string> files = {};  ///< Secrets whose keys are files in kEngineFiles
  std::string variables = {};           ///< a Secret whose keys are variables of its environment; or empty
};

/// Where the pod finds its files, and a folder in which it may write what need not outlive it.
inline constexpr const char* kEngineFiles = "/kml/files";
inline constexpr const char* kEngineWork = "/kml/work";

/// The label of what belongs to an engine itself, and not to what it runs: "kml.dev/sweep-engine".
std::string engine_label(const EngineMarks& marks);

/// "lr1-engine": the Job's name, and that of its account, its Role and RoleBinding.
std::string engine_name(const std::string& name);

/// What every engine may do: make jobs of these kinds, watch them with their pods and logs, and keep its
/// ConfigMaps. `kinds` are as "batch/jobs".
Json engine_rules(const EngineMarks& marks, const std::vector<std::string>& kinds);
/// A rule of that form.
Json rule(const std::string& group, const std::string& resource, const std::vector<std::string>& verbs);

/// The Job that runs the program, and before it its account with the rights that it needs, where it is to
/// have one of its own.
std::vector<Json> engine_objects(const EngineMarks& marks, const EngineOptions& options,
                                 const EngineProgram& program);

}  // namespace kml::jobs
