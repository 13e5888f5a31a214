#include "pipeline/engine/step_ends.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/json_number.h"
#include "kml/base/text.h"
#include "kml/engine/journal/telling_line.h"
#include "kml/engine/watching/job_runner.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/engine_words.h"

namespace kml::pipeline {

namespace {

std::chrono::seconds backoff_after(int failures, const Step& step) {
  const double seconds =
      static_cast<double>(step.backoff.count()) * std::pow(step.backoff_factor, std::min(failures, 64));
  return std::chrono::seconds(
      static_cast<long long>(std::min(seconds, static_cast<double>(step.backoff_most.count()))));
}

}  // namespace

void StepEnds::take(const Step& step, const engine::JobReport& report) {
  using Kind = engine::JobReport::Kind;
  const StepState& state = use_.run.state_of(step);
  switch (report.kind) {
    case Kind::waiting:
      if (state.is_seen || state.cause != report.cause)
        use_.decisions.decide(record::Wait{step.name, report.cause});
      return;
    case Kind::running:
      if (report.begun_anew) metrics_.erase(report.job);
      if (!state.is_seen) use_.decisions.decide(record::Running{step.name});
      return;
    case Kind::metric:
      if (!report.is_of_earlier_step) metrics_[report.job][report.metric] = report.value;
      return;
    case Kind::retried: return;
    case Kind::gone: return fail(step, report, "its job was deleted");
    case Kind::refused: return fail(step, report, report.cause);
    case Kind::ended: return take_end(step, report);
  }
}

/// Counts an attempt that was lost because of the cluster. Returns whether the step may run again without
/// using up a retry.
bool StepEnds::count_loss(const Step& step) {
  constexpr int kMostLosses = 100;
  return !counts_restarts_ && ++losses_[step.name] <= kMostLosses;
}

void StepEnds::take_end(const Step& step, const engine::JobReport& report) {
  if (report.succeeded) return take_success(step, report);
  if (!report.lost_input.empty() && !counts_restarts_ && renew_source(step, report)) return;
  if (report.cause == engine::kJobCancelled) {
    // A step whose job a user cancels is not tried again. If the run is a single submitted job, the step is
    // recorded as cancelled, otherwise as failed.
    const auto how = use_.run.head().is_job ? record::Ended::How::cancelled : record::Ended::How::failed;
    return use_.decisions.decide(record::Ended{step.name, how, report.cause});
  }
  std::string cause = report.cause.empty() ? "it failed" : report.cause;
  if (const std::string line = engine::telling_line(report.last_lines, cause); !line.empty()) {
    cause += ": " + line;
    if (step.program && line.starts_with("ModuleNotFoundError"))
      cause +=
          "; add the package to packages_to_install or, on this machine, activate an environment that has it";
  }
  fail(step, report, cause, report.is_disrupted && count_loss(step));
}

void StepEnds::take_success(const Step& step, const engine::JobReport& report) {
  Json outputs;
  try {
    outputs = made_by(step, report);
  } catch (const Error& error) {
    // If the engine was interrupted, the step's outputs still exist for the engine that continues.
    if (error.code == ErrorCode::interrupted || error.code == ErrorCode::unreachable ||
        error.reason == kStoreTrouble)
      throw;
    return fail(step, report, cause_of(error), error.reason == kReportLost && count_loss(step));
  }
  for (const auto& [name, input] : use_.run.state_of(step).inputs.items())
    if (!use_.cache.is_there(input))
      return fail(step, report,
                  "its input " + name + " changed while the step ran: the step or another program wrote to " +
                      string_at(input, {"path"}, "it"));
  std::string note;
  if (step.is_cached) note = keep(step, outputs, report);
  const StepJob job = use_.jobs.of(step, false);
  use_.decisions.decide(record::Ended{.step = step.name,
                                      .how = record::Ended::How::done,
                                      .cause = std::move(note),
                                      .outputs = outputs,
                                      .image_id = use_.runner.image_id_of(job),
                                      .lock = use_.runner.lock_of(job),
                                      .job_ended = earlier_end(report)});
}

/// When the job ended, if that was before this engine started.
std::optional<Time> StepEnds::earlier_end(const engine::JobReport& report) const {
  return report.job_ended && *report.job_ended < begun_ ? report.job_ended : std::nullopt;
}

/// Stores the step's result, so that later runs can reuse it. Returns a note for the user, or an empty text.
std::string StepEnds::keep(const Step& step, const Json& outputs, const engine::JobReport& report) {
  const StepState& state = use_.run.state_of(step);
  Json result = {{"pipeline", use_.run.pipeline().name},
                 {"step", step.name},
                 {"run", use_.run.state().name()},
                 {"job", state.job},
                 {"time", rfc3339(earlier_end(report).value_or(use_.decisions.now()))},
                 {"parts", state.parts},
                 {"inputs", state.inputs},
                 {"outputs", outputs}};
  if (Json commit = use_.run.state().commit(); !commit.is_null()) result["git"] = std::move(commit);
  if (std::string id = use_.runner.image_id_of(use_.jobs.of(step, false)); !id.empty())
    result["imageId"] = std::move(id);
  return use_.cache.keep(step, state.key, std::move(result), use_.run.head().renewal,
                         use_.runner.take_record(use_.jobs.of(step, false)));
}

/// The step's outputs. Throws Error for the first output that does not exist.
Json StepEnds::made_by(const Step& step, const engine::JobReport& report) {
  Json outputs = use_.runner.made_by(use_.jobs.of(step, false));
  for (const Output& output : step.outputs)
    if (output.kind == OutputKind::metric)
      outputs[output.name] = {{"value", json_of_number(metric_of(output, report))}};
  return outputs;
}

/// The metric's value at the highest training step.
double StepEnds::metric_of(const Output& output, const engine::JobReport& report) const {
  const auto values = metrics_.find(report.job);
  if (values != metrics_.end() && values->second.contains(output.metric))
    return values->second.at(output.metric);
  std::vector<std::string> logged;
  if (values != metrics_.end())
    for (const auto& [name, value] : values->second) logged.push_back(name);
  throw Error(ErrorCode::job_failed,
              "it succeeded, but logged no " + output.metric +
                  (logged.empty() ? "" : "; it logged " + join(logged, ", ")),
              report.lost_lines
                  ? "its log could not be read to the end"
                  : "output " + output.name + " is read from a line such as \"" + output.metric + "=0.97\"");
}

/// If an input has disappeared although a result for it exists, again runs the step that made the input, and
/// then this step.
bool StepEnds::renew_source(const Step& step, const engine::JobReport& report) {
  const auto input = std::find_if(step.inputs.begin(), step.inputs.end(), [&](const Input& each) {
    return each.name == report.lost_input ||
           // the lost input is an item of the list
           (each.is_list && report.lost_input.starts_with(each.name + "-"));
  });
  if (input == step.inputs.end()) return false;
  const bool is_on_its_way =
      std::any_of(input->sources.begin(), input->sources.end(), [&](const Source& source) {
        const StepState& state = use_.run.state().step(source.step);
        return state.lost > 0 && !has_ended(state.phase);
      });
  if (!is_on_its_way) {
    const Source* source = use_.inputs.source_of(*input);
    if (!source || use_.run.state().step(source->step).lost > 0) return false;
    use_.cache.forget(use_.run.state().step(source->step).key);
    use_.decisions.decide(
        record::Lost{source->step, source->text() + " was gone when " + step.name + " needed it"});
  }
  fail(step, report, report.cause, true);
  return true;
}

/// Records the step as failed, or as cancelled if the run is being stopped. If the step has retries left, or
/// if the cause is outside the step (`is_lost`), tries it again instead.
void StepEnds::fail(const Step& step, const engine::JobReport& report, const std::string& cause,
                    bool is_lost) {
  const StepState& state = use_.run.state_of(step);
  const auto end = [&](record::Ended::How how, const std::string& why) {
    use_.decisions.decide(
        record::Ended{.step = step.name, .how = how, .cause = why, .job_ended = earlier_end(report)});
  };
  if (use_.course.is_stopping() && !step.at_exit)
    return end(record::Ended::How::cancelled, "the run was stopped");
  if (!is_lost && state.failures >= step.retries) return end(record::Ended::How::failed, cause);
  const Time until =
      use_.decisions.now() + (is_lost ? std::chrono::seconds(0) : backoff_after(state.failures, step));
  use_.decisions.decide(record::Again{step.name, cause, until, is_lost});
}

}  // namespace kml::pipeline
