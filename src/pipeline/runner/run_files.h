#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/engine/in_cluster/engine_job.h"
#include "kml/job/spec/setting.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// Settings for all steps from kml.yaml and the environment, and folders with more templates.
struct StepDefaults {
  std::vector<spec::Setting> settings = {};
  std::vector<std::filesystem::path> template_folders = {};
  /// whether the defaults come from another machine, through step_defaults_from_json()
  bool are_copied = false;
};

Json to_json(const StepDefaults& defaults);
StepDefaults step_defaults_from_json(const Json& json);

/// Everything on this machine that an engine in the cluster needs: files that steps use as code or inputs,
/// templates, and variables that steps take from the environment.
struct RunFiles {
  std::vector<std::string> parts;  ///< parts of an archive, each small enough for a Secret
  std::map<std::string, std::string> variables;
};

/// `settings` are those of the steps in the pipeline file, as far as they are known; `defaults` are added to
/// them. `outside` has inputs by their text(). Inputs that are files on this machine are packed at their
/// "path". Throws usage Error if the files are too large, or if a setting refers to something on this machine
/// that cannot be copied.
RunFiles pack_run_files(const Pipeline& pipeline, const StepDefaults& defaults,
                        const std::vector<spec::Setting>& settings, const Json& outside = Json::object());

/// Where a file is below `root`. `file` is its path on the machine that packed it.
std::filesystem::path place_below(const std::filesystem::path& root, const std::filesystem::path& file);

/// Called in the engine's pod. Unpacks the parts in `from` into `root`.
void unpack_run_files(const std::filesystem::path& from, const std::filesystem::path& root);

/// The Secrets with the run's files and variables; their names start with "kml-engine-RUN". Sets the
/// program's `files` and `variables` to them.
std::vector<Json> file_secrets(const RunFiles& files, const std::string& run, engine::EngineProgram& program);

/// The program `kml run engine NAME` for a pod, with the rights it needs. `kinds` are as in engine_rules().
engine::EngineProgram run_engine_program(const engine::EngineMarks& marks,
                                         const std::vector<std::string>& kinds);

/// The kinds of all objects that the steps create on the server, such as "batch/jobs".
std::vector<std::string> kinds_of(const std::vector<Json>& objects);

}  // namespace kml::pipeline
