#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/jobs/in_cluster/engine_job.h"
#include "kml/pipeline/pipeline.h"
#include "kml/spec/setting.h"

namespace kml::jobs {

/// What kml.yaml and the environment say of all steps, and where else templates are.
struct StepDefaults {
  std::vector<spec::Setting> settings = {};
  std::vector<std::filesystem::path> template_folders = {};
};

Json to_json(const StepDefaults& defaults);
StepDefaults step_defaults_from_json(const Json& json);

/// What an engine in the cluster needs of this machine: the files that steps take along as their code or read
/// as inputs, templates, and the variables whose values steps take from the environment.
struct RunFiles {
  std::vector<std::string> parts;  ///< of an archive: as much as a Secret can hold each
  std::map<std::string, std::string> variables;
};

/// `settings` are those of the steps and their defaults, as far as they are known. Throws Error (usage) if
/// the files are too many, or a setting means something of this machine that cannot go along.
RunFiles pack_run_files(const pipeline::Pipeline& pipeline, const StepDefaults& defaults,
                        const std::vector<spec::Setting>& settings);

/// Where a file of the machine that packed it is found below `root`.
std::filesystem::path place_below(const std::filesystem::path& root, const std::filesystem::path& file);

/// In the engine's pod: writes what the parts in `from` hold below `root`.
void unpack_run_files(const std::filesystem::path& from, const std::filesystem::path& root);

/// The Secrets of a run's files and variables, named after the run; the program's `files` and `variables`
/// are theirs.
std::vector<Json> file_secrets(const RunFiles& files, const std::string& run, EngineProgram& program);

/// `kml run engine NAME` in a pod, with the rights that it needs. `kinds` are as in engine_rules().
EngineProgram run_engine_program(const EngineMarks& marks, const std::vector<std::string>& kinds);

/// The kinds of what the steps make on the server, jobs and others: "batch/jobs".
std::vector<std::string> kinds_of(const std::vector<Json>& objects);

}  // namespace kml::jobs
