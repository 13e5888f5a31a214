#include "pipeline/engine/step_jobs.h"

#include "kml/base/sha256.h"
#include "kml/base/value_text.h"
#include "pipeline/engine/item_name.h"
#include "pipeline/engine/run_time.h"

namespace kml::pipeline {

namespace {

/// The name of a step's job. The names of its pods, Services and trials start with this name, and can have at
/// most 63 characters. In a sweep, "-t00042-r1-a10" follows; after a retry of the step, "-r10"; and for pods
/// of the training operator, "-worker-999". In most versions of Kubernetes, names of Services must start with
/// a letter (RFC 1035).
std::string job_name(const std::string& run, const Step& step, int attempt) {
  const size_t most = is_sweep(step) ? 37 : 46;
  const bool has_template = step.settings.find("template") != nullptr;
  const bool begins_with_digit = run.front() >= '0' && run.front() <= '9';
  std::string name = (has_template && begins_with_digit ? "run-" : "") + run + "-" + step.name;
  if (name.size() > most) name = name.substr(0, most - 9) + "-" + sha256_hex(name).substr(0, 8);
  return attempt == 0 ? name : name + "-r" + std::to_string(attempt);
}

/// An input in the form that a command gets: its value or its path.
Json placed(const StepRunner& runner, const std::string& name, const Json& input) {
  if (!input.is_array())
    return input.contains("value") ? as_written(input) : Json(runner.input_place(name, input));
  Json list = Json::array();
  for (size_t i = 0; i < input.size(); ++i) list.push_back(placed(runner, item_name(name, i), input[i]));
  return list;
}

/// The inputs with the paths at which the step finds them.
Json at_places(const StepRunner& runner, Json inputs) {
  for (auto& [name, input] : inputs.items()) {
    if (input.contains("digest")) input["path"] = runner.input_place(name, input);
    for (size_t i = 0; input.is_array() && i < input.size(); ++i)
      if (input[i].contains("digest")) input[i]["path"] = runner.input_place(item_name(name, i), input[i]);
  }
  return inputs;
}

/// The inputs, with each item of a list as an input of its own.
Json each_alone(const Json& inputs) {
  Json alone = Json::object();
  for (const auto& [name, input] : inputs.items()) {
    if (!input.is_array()) alone[name] = input;
    for (size_t i = 0; input.is_array() && i < input.size(); ++i) alone[item_name(name, i)] = input[i];
  }
  return alone;
}

}  // namespace

/// If the run is a single submitted job, the job has the run's name.
std::string StepJobs::name(const Step& step, int attempt) const {
  const std::string& run = run_.state().name();
  if (run_.head().is_job) return attempt == 0 ? run : run + "-r" + std::to_string(attempt);
  return job_name(run, step, is_sweep(step) ? 0 : attempt);  // a sweep continues
}

StepJob StepJobs::of(const Step& step, bool is_new) const {
  const StepState& state = run_.state_of(step);
  const Time began = run_.state().began().value_or(Time());
  Json in = Json::object(), out = Json::object();
  for (const auto& [name, input] : state.inputs.items()) in[name] = placed(runner_, name, input);
  for (const Output& output : step.outputs)
    if (output.kind != OutputKind::metric)
      out[output.name] = output.path.empty()
                             ? runner_.output_place(run_.state().name(), step, state.attempt, output)
                             : output.path;
  StepJob job{state.job,
              &step,
              {{"params", run_.head().params},
               {"in", in},
               {"out", out},
               {"item", step.item},
               {"run",
                {{"name", run_.state().name()},
                 {"status", name_of(course_.outcome())},
                 {"scheduled", scheduled_text(run_.head(), began)}}},
               {"step", {{"name", step.name}}}},
              is_new,
              state.attempt,
              each_alone(state.inputs),
              state.began.value_or(clock_.now())};
  if (step.program) add_for_program(job, state);
  return job;
}

/// Adds to the job's scope what a StepProgram needs.
void StepJobs::add_for_program(StepJob& job, const StepState& state) const {
  Json after = Json::object();
  for (const std::string& name : job.step->after)
    after[name] = {{"phase", name_of(run_.state().step(name).phase)},
                   {"cause", run_.state().step(name).cause}};
  const std::string file(StepProgram::kResultFile);
  job.scope["after"] = std::move(after);
  job.scope["inputs"] = at_places(runner_, state.inputs);
  job.scope["out"][file] =
      runner_.output_place(run_.state().name(), *job.step, state.attempt, {file, OutputKind::value});
  job.scope["run"]["id"] = run_.state().id();
  job.scope["run"]["began"] = rfc3339_micro(run_.state().began().value_or(Time()));
}

}  // namespace kml::pipeline
