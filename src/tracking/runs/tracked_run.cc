#include "kml/tracking/runs/tracked_run.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "kml/base/json_number.h"
#include "kml/base/text.h"
#include "kml/base/value_text.h"
#include "kml/job/kinds/state.h"
#include "kml/job/views/data_mark.h"
#include "kml/job/views/dev_session.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/tracking/runs/metric_courses.h"
#include "tracking/runs/run_facts.h"

namespace kml::tracking {

namespace {

/// "sha256:…" of "docker.io/library/busybox@sha256:…".
std::string digest_of_image(const std::string& image_id) {
  return image_id.substr(image_id.find('@') + 1);  // npos + 1 is 0
}

void add_parameters(TrackedRun& tracked, const job::Submission& run, const job::RunNotes& notes,
                    const Json& container) {
  tracked.parameters = parameters_of(job::without_idle_guard(run.command), container);
  for (const auto& [name, value] : notes.logged_params) tracked.parameters[name] = exact_value_of(value);
}

/// The part of a run that can be read without parsing the submit's objects.
TrackedRun without_objects(const job::Submission& run, const job::RunNotes& notes) {
  TrackedRun tracked;
  tracked.id = run.id;
  tracked.user = run.user;
  tracked.time = run.time;
  take_notes(tracked, notes);
  return tracked;
}

}  // namespace

namespace {

bool has_ended(const TrackedRun& run) {
  const auto state = job::state_of_name(run.state);
  return state && job::has_ended(*state);
}

/// A nested run ends at the latest with its parent. If kml last saw the nested run before that, for example
/// because its job was then deleted, its recorded state is old.
void end_with_parent(TrackedRun& nested, const TrackedRun& parent) {
  if (!has_ended(parent) || has_ended(nested)) return;
  nested.state = parent.state;
  nested.cause = parent.cause;
  nested.finished = parent.finished;
}

void add_nested(TrackedRun& tracked, const std::string& recorded_id, const job::RunNotes& notes) {
  for (const job::NestedRun& run : notes.nested) {
    TrackedRun nested;
    nested.id = nested_id(recorded_id, run);
    if (!run.parent.empty()) nested.parent = nested_id(recorded_id, {.id = run.parent});
    nested.kind = "nested";
    nested.name = tracked.name + "/" + run.name;
    nested.target = tracked.target;
    nested.user = tracked.user;
    nested.state = run.state;
    nested.time = run.time;
    nested.finished = run.finished;
    for (const auto& [name, value] : run.params) nested.parameters[name] = exact_value_of(value);
    nested.metrics = run.metrics;
    nested.tags = run.tags;
    nested.note = run.note;
    end_with_parent(nested, tracked);
    tracked.nested.push_back(std::move(nested));
  }
}

}  // namespace

TrackedRun outline_of_submit(const job::Submission& run, const job::RunNotes& notes) {
  TrackedRun tracked = without_objects(run, notes);
  add_parameters(tracked, run, notes, Json::object());
  add_nested(tracked, run.id, notes);
  return tracked;
}

std::string_view without_sort(std::string_view name) {
  for (const std::string_view sort : {kParameterPrefix, kMetricPrefix})
    if (name.starts_with(sort)) return name.substr(sort.size());
  return name;
}

bool is_in_outline(const std::string& name) {
  return name != "name" && name != "kind" && name != "state" && !without_sort(name).starts_with("env.");
}

bool is_maintenance(const job::Submission& run) {
  const auto jobs = run.jobs();
  return !jobs.empty() && !api::annotation_of(*jobs[0], job::kMaintenance).empty();
}

TrackedRun tracked_submit(const job::Submission& run, const job::RunNotes& notes) {
  TrackedRun tracked = without_objects(run, notes);
  tracked.submit_id = run.id;
  tracked.kind = run.jobs().empty() ? "objects" : "job";
  const auto jobs = run.jobs();
  const Json& first = jobs.empty() ? run.objects.at(0) : *jobs[0];
  tracked.name = api::name_of(first);
  tracked.target = run.context + "/" + run.namespace_name;
  job::SubmissionOutcome outcome = job::outcome_of(run);
  tracked.state = std::move(outcome.state);
  tracked.cause = std::move(outcome.cause);
  tracked.finished = outcome.finished;
  const Json container = jobs.empty() ? Json::object() : first_container_of(first);
  const long long gpus = jobs.empty() ? 0 : job::basic_view_of_job(first, {}).gpus;
  add_parameters(tracked, run, notes, container);
  add_fact(tracked, "command", shell_quoted(job::without_idle_guard(run.command)));
  add_fact(tracked, "image", api::image_of(container));
  add_fact(tracked, "image digest", digest_of_image(notes.image_id));
  add_fact(tracked, "data", api::annotation_of(first, job::kData));
  add_fact(tracked, "gpus", gpus > 0 ? std::to_string(gpus) : "");
  add_code_digest(tracked, run.objects);
  add_git(tracked, run.git);
  add_python(tracked, run.packages, notes.environment);
  if (!jobs.empty()) add_machine(tracked, first);
  for (const auto& [name, value] : notes.of_nodes) add_fact(tracked, name, value);
  add_fact(tracked, "template", run.template_name);
  add_fact(tracked, "folder", run.folder);
  add_nested(tracked, run.id, notes);
  return tracked;
}

namespace {

/// The first digits of a digest; any other text is unchanged.
std::string digest_in_brief(const std::string& text) {
  constexpr size_t kDigest = 64, kShown = 12;
  const bool is_digest = text.size() == kDigest && text.find_first_not_of("0123456789abcdef") == text.npos;
  return is_digest ? text.substr(0, kShown) : text;
}

/// Adds the step's inputs (without parameters) and outputs.
void add_facts_of_step(TrackedRun& tracked, const std::string& name, const pipeline::StepState& step,
                       const PartsByKey& known) {
  const auto earlier = known.find(step.key);
  const Json& parts = step.parts.empty() && earlier != known.end() ? earlier->second : step.parts;
  for (const auto& [part, value] : parts.items())
    if (!part.starts_with("param ") && !part.starts_with("output ") && value.is_string())
      add_fact(tracked, name + " " + part, digest_in_brief(value.get<std::string>()));
  for (const auto& [output, made] : step.outputs.items())
    add_fact(tracked, name + "." + output, digest_in_brief(string_at(made, {"digest"})));
  add_fact(tracked, name + " image digest", digest_of_image(step.image_id));
  add_fact(tracked, name + " lock", step.lock);
}

void add_metric(TrackedRun& tracked, const std::string& name, const Json& value) {
  if (const auto number = number_of_json(value)) tracked.metrics[name] = {*number, *number, *number, 1};
}

/// Adds the outputs that are numbers, as "train.accuracy". Also adds the numbers in outputs that contain
/// several numbers, such as KFP's Metrics, under names like this, or as "train.OUTPUT.accuracy" if the step
/// already has an "accuracy".
void add_metrics_of_step(TrackedRun& tracked, const std::string& step, const Json& outputs) {
  std::map<std::string, int> uses;
  for (const auto& [output, made] : outputs.items()) {
    ++uses[output];
    for (const auto& [name, value] : object_at(made, {"metrics"}).items()) ++uses[name];
  }
  for (const auto& [output, made] : outputs.items()) {
    if (const Json* value = find(made, {"value"})) add_metric(tracked, step + "." + output, *value);
    for (const auto& [name, value] : object_at(made, {"metrics"}).items())
      add_metric(tracked, step + "." + (uses[name] > 1 ? output + "." : "") + name, value);
  }
}

void add_submit(TrackedRun& tracked, const pipeline::RunState& state, const job::RunNotes& notes) {
  tracked.job_id = state.id();
  const Json file = Json::parse(state.head().text, nullptr, false);
  const Json& job = object_at(file, {"spec", "steps", "job"});
  const std::vector<std::string> command = typed_words(array_at(job, {"command"}));
  Json container = {{"env", Json::array()}};
  for (const auto& [name, value] : object_at(job, {"env"}).items())
    container["env"].push_back({{"name", name}, {"value", value}});
  tracked.parameters = parameters_of(command, container);
  for (const auto& [name, value] : notes.logged_params) tracked.parameters[name] = exact_value_of(value);
  for (const auto& [name, metric] : notes.metrics.value_or(job::RunMetrics())) tracked.metrics[name] = metric;
  for (const auto& [tag, value] : notes.logged_tags) tracked.tags.emplace(tag, value);
  add_nested(tracked, state.id(), notes);
  add_fact(tracked, "command", shell_quoted(command));
  for (const Json& setting : state.head().settings)
    if (string_at(setting, {"name"}) == "image") add_fact(tracked, "image", string_at(setting, {"value"}));
}

/// The state, spelled like the states of jobs.
const char* state_text(const std::optional<pipeline::Outcome>& end) {
  if (!end) return "Running";
  switch (*end) {
    case pipeline::Outcome::succeeded: return "Succeeded";
    case pipeline::Outcome::stopped: return "Cancelled";
    case pipeline::Outcome::failed: return "Failed";
  }
  return "Failed";
}

/// The metric with that name. In a pipeline, also the metric of a step, if only one step has such an output.
/// Null if there is none.
const job::Metric* metric_named(const TrackedRun& run, const std::string& name) {
  if (const auto found = run.metrics.find(name); found != run.metrics.end()) return &found->second;
  const job::Metric* only = nullptr;
  if (run.kind == "pipeline" && !run.parameters.contains(name))
    for (const auto& [full, metric] : run.metrics)
      if (full.ends_with("." + name)) {
        if (only) return nullptr;
        only = &metric;
      }
  return only;
}

}  // namespace

std::vector<std::string> typed_words(const Json& words) {
  std::vector<std::string> typed;
  for (const Json& word : words) {
    std::string& text = typed.emplace_back(word.get<std::string>());
    for (size_t at = 0; (at = text.find("$$", at)) != std::string::npos; ++at) text.erase(at, 1);
  }
  return typed;
}

bool is_submit(const pipeline::RunState& state) {
  return state.head().is_job;
}

/// A submit is a run with one step, which the user does not know.
std::string cause_of_end(const pipeline::RunState& state) {
  return is_submit(state) ? state.step("job").cause : state.first_failure();
}

TrackedRun tracked_pipeline(const pipeline::RunState& state, const job::RunNotes& notes,
                            const PartsByKey& known, const job::RunNotes& of_job) {
  TrackedRun tracked;
  tracked.name = state.name();
  tracked.id = "run/" + tracked.name;
  tracked.submit_id = state.id();
  tracked.kind = "pipeline";
  const Json& target = state.head().target;
  if (!target.is_null())  // an artifact of `kml artifact put` has none
    tracked.target = string_at(target, {"context"}) + "/" + string_at(target, {"namespace"});
  tracked.time = state.began().value_or(Time());
  tracked.state = state_text(state.end());
  if (state.end()) tracked.finished = state.last_time();
  if (state.end() == pipeline::Outcome::failed) tracked.cause = cause_of_end(state);
  for (const auto& [name, value] : state.head().params.items()) tracked.parameters[name] = value;
  for (const auto& [step, result] : state.steps()) add_metrics_of_step(tracked, step, result.outputs);
  int jobs = 0;
  for (const auto& [name, step] : state.steps()) {
    add_facts_of_step(tracked, name, step, known);
    jobs += step.jobs;
  }
  add_fact(tracked, "attempts", std::to_string(jobs));
  take_notes(tracked, notes);
  if (is_submit(state))
    add_submit(tracked, state, of_job);
  else
    add_fact(tracked, "file", state.head().file);
  tracked.user = state.head().user;
  add_git(tracked, state.head().git.value_or(Json::object()));
  return tracked;
}

namespace {

/// The last value of the metric or, for "loss.min" and "loss.max", an extreme; null if there is none.
Json metric_value(const TrackedRun& run, const std::string& name) {
  if (const job::Metric* metric = metric_named(run, name)) return metric->last;
  const bool is_min = name.ends_with(".min");
  if (is_min || name.ends_with(".max"))
    if (const job::Metric* metric = metric_named(run, name.substr(0, name.size() - 4)))
      return is_min ? metric->min : metric->max;
  return {};
}

Json parameter_value(const TrackedRun& run, const std::string& name) {
  const auto parameter = run.parameters.find(name);
  return parameter == run.parameters.end() ? Json() : parameter->second;
}

}  // namespace

Json value_of(const TrackedRun& run, const std::string& name) {
  if (name == "state") return run.state;
  if (name == "kind") return run.kind;
  if (name == "name") return run.name;
  if (name == "user") return run.user;
  if (name == "note") return run.note;
  if (name.starts_with("tags.")) {
    const auto tag = run.tags.find(name.substr(5));
    return tag == run.tags.end() ? Json() : Json(tag->second);
  }
  Json value = metric_value(run, name);
  if (value.is_null()) value = parameter_value(run, name);
  const std::string own(without_sort(name));
  if (!value.is_null() || own == name) return value;
  return name.starts_with(kMetricPrefix) ? metric_value(run, own) : parameter_value(run, own);
}

namespace {

void add_names(const TrackedRun& run, std::set<std::string>& names) {
  for (const auto& [name, value] : run.parameters) names.insert(name);
  for (const auto& [full, metric] : run.metrics) {
    names.insert({full, full + ".min", full + ".max"});
    if (run.kind == "pipeline") names.insert(full.substr(full.find('.') + 1));
  }
  for (const auto& [tag, value] : run.tags) names.insert("tags." + tag);
  for (const TrackedRun& nested : run.nested) add_names(nested, names);
}

}  // namespace

std::vector<std::string> known_names(const std::vector<TrackedRun>& runs) {
  std::set<std::string> names = {"state", "kind", "name", "user", "note"};
  for (const TrackedRun& run : runs) add_names(run, names);
  return {names.begin(), names.end()};
}

bool is_known_name(const std::string& name, const std::vector<std::string>& known) {
  const auto has = [&](std::string_view one) {
    return std::find(known.begin(), known.end(), one) != known.end();
  };
  return name.starts_with("tags.") || has(name) || has(without_sort(name));
}

}  // namespace kml::tracking
