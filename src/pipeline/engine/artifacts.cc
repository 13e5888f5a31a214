#include "kml/pipeline/engine/artifacts.h"

#include <algorithm>
#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/pipeline/engine/pins.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/store/shared_store.h"

namespace kml::pipeline {

namespace {

bool is_at(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::not_found;
}

}  // namespace

void require_readable(const Artifact& artifact) {
  const std::string name = artifact.name.text();
  if (is_on_volume(artifact.made)) {
    const std::string path = string_at(artifact.made, {"path"});
    throw usage_error("the files of " + name + " are not on this machine",
                      "the files are on a volume of " + string_at(artifact.made, {"target"}),
                      "kml cp " + path + " " + artifact.name.output);
  }
  if (!artifact.is_there)
    throw usage_error("the files of " + name + " were removed", "",
                      "make them again, for example with `kml run FILE`");
}

bool is_there(OutputKind kind, const Json& made) {
  return !is_tree(kind) || is_shared(made) || is_on_volume(made) || is_at(string_at(made, {"path"}));
}

std::vector<Artifact> artifacts_of(const RunState& run) {
  const Pipeline pipeline = pipeline_of(run);
  std::vector<Artifact> artifacts;
  for (const Step& step : pipeline.steps) {
    const StepState& state = run.step(step.name);
    if (!has_made(state.phase)) continue;
    for (const Output& output : step.outputs) {
      const Json& made = object_at(state.outputs, {output.name});
      if (made.empty()) continue;
      artifacts.push_back({{run.name(), step.name, output.name},
                           output.kind,
                           made,
                           state.from.empty() ? run.name() : state.from,
                           state.ended.value_or(run.last_time()),
                           is_there(output.kind, made)});
    }
  }
  return artifacts;
}

Artifact find_artifact(const std::string& name) {
  const std::string run = parse_artifact_name(name).run;
  if (!std::filesystem::exists(run_folder(run)))
    for (const Artifact& artifact : pins_of(local_store()).artifacts)
      if (artifact.name.text() == name) return artifact;
  const std::vector<Artifact> all = artifacts_of(read_run(run));
  std::vector<std::string> names;
  for (const Artifact& artifact : all) {
    names.push_back(artifact.name.text());
    if (names.back() == name) return artifact;
  }
  throw usage_error(
      "no artifact \"" + name + "\"", "",
      suggestion(name, names,
                 names.empty() ? "the run has made no artifacts" : "the run has " + join(names, ", ")));
}

}  // namespace kml::pipeline
