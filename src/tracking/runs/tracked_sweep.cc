#include <vector>

#include "kml/base/text.h"
#include "kml/job/views/data_mark.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/tracking/runs/tracked_run.h"
#include "tracking/runs/gpu_hours.h"
#include "tracking/runs/run_facts.h"

namespace kml::tracking {

namespace {

std::string end_in_brief(const std::string& end) {
  return end.substr(0, end.find(": "));
}

void add_best(TrackedRun& tracked, const sweep::SweepState& state) {
  if (!state.best()) return;
  const sweep::Trial& best = state.trials()[*state.best()];
  for (const auto& [name, value] : best.values.items()) tracked.parameters[name] = value;
  for (const auto& [name, value] : best.metrics) tracked.metrics[name] = {value, value, value, 1};
  for (const auto& [name, last] : best.diverged)
    tracked.metrics[name] = {last.second, last.second, last.second, 1};
  if (best.value) tracked.metrics[state.spec().objective.metric] = {*best.value, *best.value, *best.value, 1};
}

/// The command as the user typed it. For trials from a file, no command was typed, so this is the container's
/// command.
std::string command_of_trials(const Json& trial, const Json& container) {
  if (std::string typed = api::annotation_of(trial, api::kCommand); !typed.empty()) return typed;
  std::vector<std::string> words;
  for (const char* part : {"command", "args"})
    for (const Json& word : array_at(container, {part}))
      words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
  return shell_quoted(words);
}

std::string folder_of_trials(const Json& trial) {
  std::string folder;
  job::each_pod_template(trial, [&](const Json& pod, int) {
    if (folder.empty()) folder = api::annotation_of(pod, api::kWorkingFolder);
  });
  return folder;
}

/// Adds what the trials run.
void add_trial(TrackedRun& tracked, const Json& trial) {
  const Json container = first_container_of(trial);
  for (const auto& [name, value] : parameters_of({}, container)) tracked.parameters.emplace(name, value);
  add_fact(tracked, "command", command_of_trials(trial, container));
  add_fact(tracked, "image", api::image_of(container));
  add_fact(tracked, "data", api::annotation_of(trial, job::kData));
  add_fact(tracked, "packages", api::annotation_of(trial, job::kPackages));
  add_code_digest(tracked, {trial});
  const long long gpus = job::is_job(trial) ? job::basic_view_of_job(trial, {}).gpus : 0;
  add_fact(tracked, "gpus", gpus > 0 ? std::to_string(gpus) : "");
  add_fact(tracked, "folder", folder_of_trials(trial));
}

/// Adds the search space: `search lr` is {"max":"0.1","min":"0.001"}.
void add_space(TrackedRun& tracked, const Json& document) {
  for (const Json& parameter : array_at(document, {"spec", "parameters"}))
    add_fact(tracked, "search " + api::entry_name(parameter),
             compact_text(object_at(parameter, {"feasibleSpace"})));
}

}  // namespace

TrackedRun tracked_sweep(const sweep::SweepState& state, const job::RunNotes& notes) {
  TrackedRun tracked;
  tracked.name = state.spec().name;
  tracked.id = "sweep/" + tracked.name;
  tracked.submit_id = state.id();
  tracked.kind = "sweep";
  tracked.target = string_at(state.target(), {"context"}) + "/" + string_at(state.target(), {"namespace"});
  tracked.time = state.sessions().begun;
  tracked.state = state.end().reason.empty() ? "Running" : "Ended";
  tracked.cause = end_in_brief(state.end().reason);
  if (!state.end().reason.empty()) tracked.finished = state.sessions().last;
  add_best(tracked, state);
  take_notes(tracked, notes);
  add_trial(tracked, state.spec().trial);
  add_space(tracked, state.spec().document);
  add_git(tracked, object_at(state.code(), {"git"}));
  const Json& locked = object_at(state.code(), {"packages"});
  // The notes may have the environment of an earlier sweep with the same name.
  add_python(tracked, locked, locked.empty() ? packages::NamedEnvironment() : notes.environment);
  add_machine(tracked, state.spec().trial);
  add_fact(tracked, "algorithm", state.algorithm());
  add_fact(tracked, "trials", std::to_string(state.lists().ended.size()));
  if (state.gpu_seconds() > 0) add_fact(tracked, "GPU hours", hours_text(state.gpu_seconds() / 3600));
  return tracked;
}

}  // namespace kml::tracking
