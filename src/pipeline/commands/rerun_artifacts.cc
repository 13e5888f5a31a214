#include "pipeline/commands/rerun_artifacts.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/records/records.h"
#include "kml/job/submit/rerun.h"
#include "kml/job/submit/submit_record.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/tracking/runs/tracked_run.h"
#include "pipeline/commands/run_selection.h"
#include "pipeline/commands/submit_artifacts.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

bool has_job(const std::vector<job::Submission>& runs, const std::string& name) {
  return std::any_of(runs.begin(), runs.end(), [&](const job::Submission& run) {
    const auto jobs = run.jobs();
    return std::any_of(jobs.begin(), jobs.end(), [&](const Json* job) { return api::name_of(*job) == name; });
  });
}

/// Reads the flags of the original submit from the file that it wrote (see text_of_job()) and from the
/// settings beside it.
void read_flags(const pipeline::RunState& state, SubmitFlags& flags, ArtifactFlags& artifacts) {
  const spec::Origin origin = {spec::Source::flag, "run " + state.name()};
  for (const Json& setting : state.head().settings)
    flags.settings.push_back({string_at(setting, {"name"}), string_at(setting, {"value"}), origin});
  const Json file = parse_json(state.head().text, "run " + state.name());
  const Json& step = object_at(file, {"spec", "steps", "job"});
  flags.command = tracking::typed_words(array_at(step, {"command"}));
  for (const auto& [name, source] : object_at(step, {"inputs"}).items())
    artifacts.inputs.push_back(name + "=" + string_at(source, {"path"}) + string_at(source, {"artifact"}));
  for (const auto& [name, output] : object_at(step, {"outputs"}).items()) {
    const std::string path = string_at(output, {"path"});
    artifacts.outputs.push_back(path.empty() ? name : name + "=" + path);
  }
  artifacts.store = state.head().store;
  for (const auto& [name, value] : object_at(step, {"env"}).items())
    flags.settings.push_back({"env", name + "=" + tracking::typed_words(Json::array({value})).at(0), origin});
  for (const char* name : {"chdir", "code", "retries"})
    if (const Json* value = find(step, {name}))
      flags.settings.push_back(
          {name, value->is_string() ? value->get<std::string>() : value->dump(), origin});
  for (const Json& mount : array_at(step, {"mount"}))
    flags.settings.push_back({"mount", mount.get<std::string>(), origin});
}

}  // namespace

std::string named_run_of_steps(const std::string& word) {
  const std::string name = word.starts_with("run/") ? word.substr(4) : word;
  if (!pipeline::has_run(name)) return {};
  return name != word || !has_job(job::Submissions::of_user().read(), name) ? name : "";
}

void note_changed_folder(Context& context, const job::Submission& run, const std::string& shown) {
  if (!run.git.is_object()) return;
  const Json now = job::GitState(run.folder).take();
  const auto was_same = [&](const char* key) { return string_at(now, {key}) == string_at(run.git, {key}); };
  if (was_same("commit") && was_same("diff")) return;
  const std::string was = string_at(run.git, {"commit"}).substr(0, 8),
                    is = string_at(now, {"commit"}).substr(0, 8);
  context.note(
      "the code in " + run.folder + " has changed since run " + shown + ": " +
      (was != is ? "commit " + was + ", now " + (is.empty() ? "none" : is) : "other uncommitted changes"));
}

int rerun_with_artifacts(Context& context, const std::string& run, const SubmitFlags& changes,
                         const std::vector<std::string>& arguments, const SendOptions& send) {
  const pipeline::RunState state = pipeline::read_run(run);
  if (!tracking::is_submit(state))
    throw usage_error("run " + run + " is a pipeline run", "kml rerun works only on submitted jobs",
                      command_to_repeat(state));
  SubmitFlags flags;
  ArtifactFlags artifacts;
  read_flags(state, flags, artifacts);
  flags.settings.insert(flags.settings.end(), changes.settings.begin(), changes.settings.end());
  if (!changes.command.empty()) flags.command = changes.command;
  std::vector<Json> none;
  for (const std::string& argument : arguments) job::set_argument(none, flags.command, argument);
  const fs::path folder = fs::path(state.head().file).parent_path();
  fs::current_path(folder);
  if (context.place().is_local) {
    job::Submission before;
    before.folder = folder.string();
    before.git = state.head().git.value_or(Json());
    note_changed_folder(context, before, run);
  }
  return submit_with_artifacts(context, flags, artifacts, send);
}

}  // namespace kml::cli
