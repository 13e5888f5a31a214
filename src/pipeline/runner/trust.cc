#include "pipeline/runner/trust.h"

#include <filesystem>
#include <string>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/pipeline/language/step_program.h"

namespace kml::pipeline {

namespace {

std::vector<Problem> removed_claims(const Pipeline& pipeline) {
  std::vector<Problem> problems;
  for (const Step& step : pipeline.steps)
    if (step.program && step.program->is_of_object() && step.program->removes_object())
      problems.push_back({.file = pipeline.file,
                          .path = "steps." + step.name,
                          .text = "removes a volume claim with its data"});
  return problems;
}

/// The artifacts, and the inputs outside the folder, that steps would send to a cluster.
std::vector<Problem> sent_inputs(const Pipeline& pipeline, const std::filesystem::path& folder) {
  std::vector<Problem> problems;
  for (const Step& step : pipeline.steps)
    for (const Input& input : step.inputs) {
      Problem problem{.file = pipeline.file, .path = "steps." + step.name + ".inputs." + input.name};
      if (!input.artifact.empty())
        problem.text = "sends the artifact " + input.artifact;
      else if (!input.path.empty() && !spec::is_inside(folder / input.path, folder))
        problem.text = "sends a file outside the folder of " + pipeline.file + ": " + input.path;
      if (!problem.text.empty()) problems.push_back(std::move(problem));
    }
  return problems;
}

}  // namespace

void require_trust(const spec::ProjectFile& file, const Pipeline& pipeline,
                   std::vector<spec::Setting> settings, const spec::UsersOwn& own, bool is_local) {
  const std::filesystem::path folder = file.path.parent_path();
  for (spec::Setting& setting : settings)
    if (setting.name == "code" || setting.name == "requirements" || setting.name == "conda")
      setting.value = (folder / setting.value).lexically_normal();
  std::vector<Problem> problems = spec::untrusted_settings(file, settings, own);
  for (Problem& problem : removed_claims(pipeline)) problems.push_back(std::move(problem));
  if (!is_local)  // on this machine, the steps' commands can read all files anyway
    for (Problem& problem : sent_inputs(pipeline, folder)) problems.push_back(std::move(problem));
  if (problems.empty()) return;
  auto error = spec::distrust(
      file, "these settings of its steps need your trust, because another user may have written the file",
      "review it, then run kml trust " + shell_quoted(std::vector{file.shown}));
  if (!error) return;
  error->problems = std::move(problems);
  throw std::move(*error);
}

}  // namespace kml::pipeline
