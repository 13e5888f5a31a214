#include <algorithm>
#include <cmath>

#include "kml/base/error.h"
#include "kml/base/json_number.h"
#include "kml/engine/journal/telling_line.h"
#include "kml/pipeline/engine/engine.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/engine_words.h"

namespace kml::pipeline {

namespace {

/// How often a step runs again because of the cluster.
constexpr int kMostLosses = 100;

std::chrono::seconds backoff_after(int failures, const Step& step) {
  const double seconds =
      static_cast<double>(step.backoff.count()) * std::pow(step.backoff_factor, std::min(failures, 64));
  return std::chrono::seconds(
      static_cast<long long>(std::min(seconds, static_cast<double>(step.backoff_most.count()))));
}

}  // namespace

const Step* Engine::step_of(const std::string& job) const {
  const auto place = index_.of_job(job);
  return place ? &pipeline_.steps[*place] : nullptr;
}

void Engine::take(const engine::JobReport& report) {
  using Kind = engine::JobReport::Kind;
  const Step* step = step_of(report.job);
  if (!step) return;
  const StepState& state = state_.step(step->name);
  switch (report.kind) {
    case Kind::waiting:
      if (state.is_seen || state.cause != report.cause) decide("wait", step->name, {{"cause", report.cause}});
      return;
    case Kind::running:
      if (report.begun_anew) metrics_.erase(report.job);
      if (!state.is_seen) decide("running", step->name, Json::object());
      return;
    case Kind::metric:
      if (!report.is_of_earlier_step) metrics_[report.job][report.metric] = report.value;
      return;
    case Kind::retried: return;
    case Kind::gone: return fail(*step, "its job was deleted");
    case Kind::refused: return fail(*step, report.cause);
    case Kind::ended: return take_end(*step, report);
  }
}

void Engine::take_end(const Step& step, const engine::JobReport& report) {
  if (report.succeeded) return take_success(step, report);
  if (!report.lost_input.empty() && renew_source(step, report)) return;
  std::string cause = report.cause.empty() ? "it failed" : report.cause;
  if (const std::string line = engine::telling_line(report.last_lines); !line.empty()) {
    cause += ": " + line;
    if (step.program && line.starts_with("ModuleNotFoundError"))
      cause += "; add the package to packages_to_install, or activate an environment that has it";
  }
  fail(step, cause, report.is_disrupted && ++losses_[step.name] <= kMostLosses);
}

void Engine::take_success(const Step& step, const engine::JobReport& report) {
  Json outputs;
  try {
    outputs = made_by(step, report);
  } catch (const Error& error) {
    // The step's outputs still exist, for the engine that continues.
    if (error.code == ErrorCode::interrupted || error.code == ErrorCode::unreachable ||
        error.reason == kStoreTrouble)
      throw;
    return fail(step, cause_of(error), error.reason == kReportLost && ++losses_[step.name] <= kMostLosses);
  }
  for (const auto& [name, input] : state_.step(step.name).inputs.items())
    if (!cache_.is_there(input))
      return fail(step, "its input " + name +
                            " changed while it ran: this step or another program wrote to " +
                            string_at(input, {"path"}, "it"));
  if (step.is_cached) keep(step, outputs);
  Json record = {{"isDone", true}, {"outputs", outputs}, {"cause", ""}};
  record.update(runner_.notes_of(job_of(step, false)));
  decide("ended", step.name, std::move(record));
}

/// Stores the step's result for later runs.
void Engine::keep(const Step& step, const Json& outputs) {
  const StepState& state = state_.step(step.name);
  Json result = {{"pipeline", pipeline_.name},    {"step", step.name},
                 {"run", state_.name()},          {"job", state.job},
                 {"time", rfc3339(clock_.now())}, {"parts", state.parts},
                 {"inputs", state.inputs},        {"outputs", outputs}};
  if (Json commit = state_.commit(); !commit.is_null()) result["git"] = std::move(commit);
  result.update(runner_.notes_of(job_of(step, false)));
  cache_.keep(step, state.key, result, state_.renewal());
}

/// Throws Error for the first output that does not exist.
Json Engine::made_by(const Step& step, const engine::JobReport& report) {
  Json outputs = runner_.made_by(job_of(step, false));
  for (const Output& output : step.outputs)
    if (output.kind == OutputKind::metric)
      outputs[output.name] = {{"value", json_of_number(metric_of(output, report))}};
  return outputs;
}

/// The value of the greatest step.
double Engine::metric_of(const Output& output, const engine::JobReport& report) const {
  const auto values = metrics_.find(report.job);
  if (values != metrics_.end() && values->second.contains(output.metric))
    return values->second.at(output.metric);
  throw Error(ErrorCode::job_failed, "it succeeded, but logged no " + output.metric,
              report.lost_lines
                  ? "its log could not be read to the end"
                  : "output " + output.name + " is read from a line such as \"" + output.metric + "=0.97\"");
}

/// If an output of an earlier step has disappeared although its result exists, that step runs again, once,
/// and then this one.
bool Engine::renew_source(const Step& step, const engine::JobReport& report) {
  const auto input = std::find_if(step.inputs.begin(), step.inputs.end(), [&](const Input& each) {
    return each.name == report.lost_input ||
           (each.is_list && report.lost_input.starts_with(each.name + "-"));  // one of its items
  });
  if (input == step.inputs.end()) return false;
  const bool is_on_its_way =
      std::any_of(input->sources.begin(), input->sources.end(), [&](const Source& source) {
        const StepState& state = state_.step(source.step);
        return state.lost > 0 && !has_ended(state.phase);
      });
  if (!is_on_its_way) {
    const Source* source = source_of(*input);
    if (!source || state_.step(source->step).lost > 0) return false;
    cache_.forget(state_.step(source->step).key);
    decide("lost", source->step, {{"cause", source->text() + " was gone when " + step.name + " needed it"}});
  }
  fail(step, report.cause, true);
  return true;
}

/// Fails the step, or tries it again if it has retries left or the cluster has removed its pod.
void Engine::fail(const Step& step, const std::string& cause, bool is_lost) {
  const StepState& state = state_.step(step.name);
  if (is_stopping_ && !step.at_exit)
    return decide("ended", step.name,
                  {{"isDone", false}, {"isStopped", true}, {"cause", "the run was stopped"}});
  if (!is_lost && state.failures >= step.retries)
    return decide("ended", step.name, {{"isDone", false}, {"cause", cause}});
  const Time until = clock_.now() + (is_lost ? std::chrono::seconds(0) : backoff_after(state.failures, step));
  decide("again", step.name, {{"cause", cause}, {"until", rfc3339_micro(until)}, {"isLost", is_lost}});
}

}  // namespace kml::pipeline
