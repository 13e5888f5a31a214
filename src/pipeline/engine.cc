#include "kml/pipeline/engine.h"

#include <algorithm>
#include <cmath>

#include "kml/core/error.h"
#include "kml/core/sha256.h"
#include "kml/core/text.h"
#include "kml/pipeline/store.h"

namespace kml::pipeline {

namespace {

/// Within which a stop or a step that is to be tried again is noticed.
constexpr std::chrono::milliseconds kLongestWait{500};

/// A job's name is a label of its pods, which has 63 characters at most (api::label_value_problem).
std::string job_name(const std::string& run, const std::string& step, int attempt) {
  constexpr size_t kMost = 56;
  std::string name = run + "-" + step;
  if (name.size() > kMost) name = name.substr(0, kMost - 9) + "-" + sha256_hex(name).substr(0, 8);
  return attempt == 0 ? name : name + "-r" + std::to_string(attempt);
}

/// What one of a list's items is called: "models-0".
std::string item_name(const std::string& input, size_t i) {
  return input + "-" + std::to_string(i);
}

/// What a command sees of an input.
Json placed(const StepRunner& runner, const std::string& name, const Json& input) {
  if (!input.is_array())
    return input.contains("value") ? input["value"] : Json(runner.input_place(name, input));
  Json list = Json::array();
  for (size_t i = 0; i < input.size(); ++i) list.push_back(placed(runner, item_name(name, i), input[i]));
  return list;
}

/// The inputs with each item of a list as one of its own.
Json each_alone(const Json& inputs) {
  Json alone = Json::object();
  for (const auto& [name, input] : inputs.items()) {
    if (!input.is_array()) alone[name] = input;
    for (size_t i = 0; input.is_array() && i < input.size(); ++i) alone[item_name(name, i)] = input[i];
  }
  return alone;
}

std::chrono::seconds backoff_after(int failures, const Step& step) {
  const double seconds =
      static_cast<double>(step.backoff.count()) * std::pow(step.backoff_factor, std::min(failures, 64));
  return std::chrono::seconds(
      static_cast<long long>(std::min(seconds, static_cast<double>(step.backoff_most.count()))));
}

std::string in_words(const Error& error) {
  return error.message + (error.why.empty() ? "" : ": " + error.why);
}

}  // namespace

Engine::Engine(engine::Journal& journal, const Pipeline& pipeline, const Cache& cache, StepRunner& runner,
               const Clock& clock, Hooks hooks)
    : journal_(journal),
      pipeline_(pipeline),
      cache_(cache),
      runner_(runner),
      clock_(clock),
      hooks_(std::move(hooks)) {}

void Engine::decide(const char* what, Json record) {
  record["what"] = what;
  record["time"] = rfc3339_micro(clock_.now());
  state_.apply(record);
  journal_.add(record);
}

void Engine::decide(const char* what, const std::string& step, Json record) {
  record["step"] = step;
  decide(what, std::move(record));
}

void Engine::run(const std::string& owner) {
  journal_.read([&](const Json& record) { state_.apply(record); });
  if (!state_.end().empty()) return;
  decide("session", {{"owner", owner}});
  reattach();
  repeat_exits();
  while (true) {
    plan();
    journal_.commit();
    if (!to_start_.empty()) runner_.start(std::exchange(to_start_, {}));
    hooks_.on_step(*this);
    if (time_to_next() == kLongestWait.zero()) break;
    for (const engine::JobReport& report : runner_.wait(time_to_next())) take(report);
    journal_.show_life(clock_);
    if (is_stopping_ || !hooks_.stop_wish()) continue;
    is_stopping_ = true;
    for (const auto& [name, step] : state_.steps())
      if (step.phase == Phase::running) runner_.stop(step.job);
  }
  end();
  hooks_.on_step(*this);
}

/// How long nothing but a report can change anything; zero if nothing can.
std::chrono::milliseconds Engine::time_to_next() const {
  if (is_any_running()) return kLongestWait;
  const bool is_any_due = std::any_of(pipeline_.steps.begin(), pipeline_.steps.end(), [&](const Step& step) {
    const StepState& state = state_.step(step.name);
    return state.phase == Phase::waiting && state.not_before != Time{} && (goes_on(step) || !is_closing());
  });
  return is_any_due ? kLongestWait : kLongestWait.zero();
}

/// Whether no step is begun any more but those that go on.
bool Engine::is_closing() const {
  return is_stopping_ || must_halt();
}

/// At the end, too; or, where the run was not stopped, with the retries that it was promised.
bool Engine::goes_on(const Step& step) const {
  return step.at_exit || (!is_stopping_ && state_.step(step.name).not_before != Time{});
}

bool Engine::is_any_running() const {
  return std::any_of(state_.steps().begin(), state_.steps().end(),
                     [](const auto& each) { return each.second.phase == Phase::running; });
}

/// Whether a step has failed that the run cannot do without.
bool Engine::must_halt() const {
  return std::any_of(pipeline_.steps.begin(), pipeline_.steps.end(), [&](const Step& step) {
    return !step.continues && !step.at_exit && state_.step(step.name).phase == Phase::failed;
  });
}

/// Whether as many of its foreach run as may.
bool Engine::is_crowded(const Step& step) const {
  if (step.parallel == 0) return false;
  const auto running = std::count_if(pipeline_.steps.begin(), pipeline_.steps.end(), [&](const Step& other) {
    return other.group == step.group && state_.step(other.name).phase == Phase::running;
  });
  return running >= step.parallel;
}

void Engine::reattach() {
  for (const Step& step : pipeline_.steps)
    if (state_.step(step.name).phase == Phase::running) to_start_.push_back(job_of(step, false));
}

/// Of a run that is tried again: what ran at its end sees how it ends this time.
void Engine::repeat_exits() {
  for (const Step& step : pipeline_.steps)
    if (step.at_exit && has_made(state_.step(step.name).phase) &&
        std::any_of(step.after.begin(), step.after.end(),
                    [&](const std::string& name) { return !has_ended(state_.step(name).phase); }))
      decide("again", step.name,
             {{"cause", "the run is tried again"}, {"until", rfc3339_micro(clock_.now())}, {"isLost", true}});
}

/// In their order, so that what one decision allows is decided in the same round.
void Engine::plan() {
  is_closing_ = is_closing();
  for (const Step& step : pipeline_.steps) {
    if (is_closing_ && !goes_on(step)) continue;
    if (state_.step(step.name).phase != Phase::waiting || !is_ready(step) || is_crowded(step)) continue;
    try {
      consider(step);
    } catch (const Error& error) {
      if (error.code == ErrorCode::interrupted || error.reason == kStoreTrouble) throw;
      decide("ended", step.name, {{"isDone", false}, {"cause", in_words(error)}});
      is_closing_ = is_closing();
    }
  }
}

bool Engine::is_ready(const Step& step) const {
  if (state_.step(step.name).not_before > clock_.now()) return false;
  const std::vector<std::string> names = dependencies(step);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const Phase phase = state_.step(name).phase;
    return has_ended(phase) || (is_closing_ && phase == Phase::waiting);
  });
}

void Engine::consider(const Step& step) {
  if (const std::string reason = reason_to_skip(step); !reason.empty())
    return decide("skipped", step.name, {{"cause", reason}});
  const Json inputs = inputs_of(step);
  const Verdict verdict = cache_.look(step, object_at(state_.head(), {"params"}), inputs, state_.renewal());
  if (verdict.result) {
    cache_.note_use(step, verdict.key);
    return decide("hit", step.name,
                  {{"key", verdict.key},
                   {"outputs", object_at(*verdict.result, {"outputs"})},
                   {"from", string_at(*verdict.result, {"run"})},
                   {"cause", ""}});
  }
  begin(step, verdict, inputs);
}

/// Empty if it is to run.
std::string Engine::reason_to_skip(const Step& step) const {
  for (const Input& input : step.inputs) {
    const Source* missing = missing_of(input);
    if (!missing) continue;
    return "input " + input.name + ": " + missing->step + " " +
           (state_.step(missing->step).phase == Phase::failed ? "failed" : "was skipped");
  }
  for (const std::string& name : step.needs)
    if (is_lost(*pipeline_.find(name))) return name + " failed, or could not run";
  if (step.when && !holds(step)) return step.when->text() + " does not hold";
  return {};
}

/// A source that is not there and is needed, or nullptr.
const Source* Engine::missing_of(const Input& input) const {
  if (!input.path.empty()) return nullptr;
  if (!input.is_list) return source_of(input) || input.is_optional ? nullptr : &input.sources[0];
  const auto found = std::find_if(input.sources.begin(), input.sources.end(), [&](const Source& source) {
    return !has_made(state_.step(source.step).phase);
  });
  return found == input.sources.end() ? nullptr : &*found;
}

/// Whether it failed, or was skipped because of one that did.
bool Engine::is_lost(const Step& step) const {
  const Phase phase = state_.step(step.name).phase;
  return phase == Phase::failed ||
         (phase == Phase::skipped && std::any_of(step.needs.begin(), step.needs.end(), [&](const auto& name) {
            return is_lost(*pipeline_.find(name));
          }));
}

/// The first source that is there, or nullptr.
const Source* Engine::source_of(const Input& input) const {
  const auto found = std::find_if(input.sources.begin(), input.sources.end(), [&](const Source& source) {
    return has_made(state_.step(source.step).phase);
  });
  return found == input.sources.end() ? nullptr : &*found;
}

bool Engine::holds(const Step& step) const {
  bool is_anything_missing = false;
  try {
    return step.when->holds([&](const std::string& name) {
      Json value = value_of(name);
      is_anything_missing = is_anything_missing || value.is_null();
      return value;
    });
  } catch (const Error&) {
    if (is_anything_missing) return false;  // as with an input that nothing made
    throw;
  }
}

/// Null of what was not made.
Json Engine::value_of(const std::string& name) const {
  const size_t dot = name.find('.');
  const std::string first = name.substr(0, dot), second = name.substr(dot + 1);
  if (first == "params") return object_at(state_.head(), {"params"}).value(second, Json());
  const std::vector<const Step*> steps = pipeline_.all_of(first);
  Json values = Json::array();
  for (const Step* step : steps)
    values.push_back(object_at(state_.step(step->name).outputs, {second}).value("value", Json()));
  return pipeline_.find(first) ? values[0] : values;
}

Json Engine::inputs_of(const Step& step) const {
  Json inputs = Json::object();
  const auto made = [&](const Source& source) {
    return object_at(state_.step(source.step).outputs, {source.output});
  };
  for (const Input& input : step.inputs) {
    if (!input.path.empty()) {
      inputs[input.name] = cache_.outside(pipeline_.folder / input.path);
      continue;
    }
    if (!input.is_list) {
      if (const Source* source = source_of(input)) inputs[input.name] = made(*source);
      continue;
    }
    Json& list = inputs[input.name] = Json::array();
    for (const Source& source : input.sources) list.push_back(made(source));
  }
  return inputs;
}

void Engine::begin(const Step& step, const Verdict& verdict, const Json& inputs) {
  const int attempt = state_.step(step.name).attempt;
  decide("begun", step.name,
         {{"attempt", attempt},
          {"job", job_name(state_.name(), step.name, is_sweep(step) ? 0 : attempt)},  // a sweep continues
          {"key", verdict.key},
          {"parts", verdict.parts},
          {"inputs", inputs},
          {"cause", verdict.cause},
          {"atExit", step.at_exit}});
  to_start_.push_back(job_of(step, true));
}

/// Files and folders by their paths, others by their values.
StepJob Engine::job_of(const Step& step, bool is_new) const {
  const StepState& state = state_.step(step.name);
  Json in = Json::object(), out = Json::object();
  for (const auto& [name, input] : state.inputs.items()) in[name] = placed(runner_, name, input);
  for (const Output& output : step.outputs)
    if (output.kind != OutputKind::metric)
      out[output.name] = runner_.output_place(state_.name(), step, state.attempt, output);
  StepJob job{state.job,
              &step,
              {{"params", object_at(state_.head(), {"params"})},
               {"in", in},
               {"out", out},
               {"item", step.item},
               {"run", {{"name", state_.name()}, {"status", outcome()}}},
               {"step", {{"name", step.name}}}},
              is_new,
              state.attempt,
              each_alone(state.inputs)};
  if (step.program) add_for_program(job, state);
  return job;
}

/// See StepProgram.
void Engine::add_for_program(StepJob& job, const StepState& state) const {
  Json after = Json::object();
  for (const std::string& name : job.step->after)
    after[name] = {{"phase", name_of(state_.step(name).phase)}, {"cause", state_.step(name).cause}};
  const std::string file(StepProgram::kResultFile);
  job.scope["after"] = std::move(after);
  job.scope["inputs"] = state.inputs;
  job.scope["out"][file] = runner_.output_place(state_.name(), *job.step, state.attempt, {file});
  job.scope["run"]["id"] = state_.id();
  job.scope["run"]["began"] = string_at(state_.head(), {"time"});
}

const Step* Engine::step_of(const std::string& job) const {
  const auto found = std::find_if(pipeline_.steps.begin(), pipeline_.steps.end(), [&](const Step& step) {
    const StepState& state = state_.step(step.name);
    return state.phase == Phase::running && state.job == job;
  });
  return found == pipeline_.steps.end() ? nullptr : &*found;
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
    case Kind::metric: metrics_[report.job][report.metric] = report.value; return;
    case Kind::retried: return;
    case Kind::gone: return fail(*step, "its job was deleted");
    case Kind::refused: return fail(*step, report.cause);
    case Kind::ended: return take_end(*step, report);
  }
}

void Engine::take_end(const Step& step, const engine::JobReport& report) {
  constexpr int kMostLosses = 100;
  if (report.succeeded) return take_success(step, report);
  if (!report.lost_input.empty() && renew_source(step, report)) return;
  std::string cause = report.cause.empty() ? "it failed" : report.cause;
  if (!report.last_lines.empty()) cause += ": " + report.last_lines.back();
  fail(step, cause, report.is_disrupted && ++losses_[step.name] <= kMostLosses);
}

void Engine::take_success(const Step& step, const engine::JobReport& report) {
  Json outputs;
  try {
    outputs = made_by(step, report);
  } catch (const Error& error) {
    // What it made is still there, for the engine that goes on.
    if (error.code == ErrorCode::interrupted || error.code == ErrorCode::unreachable ||
        error.reason == kStoreTrouble)
      throw;
    return fail(step, in_words(error));
  }
  for (const auto& [name, input] : state_.step(step.name).inputs.items())
    if (!cache_.is_there(input))
      return fail(step, "it changed its input " + name + ", which others read, too");
  if (step.is_cached) keep(step, outputs);
  decide("ended", step.name, {{"isDone", true}, {"outputs", outputs}, {"cause", ""}});
}

/// For later runs.
void Engine::keep(const Step& step, const Json& outputs) {
  const StepState& state = state_.step(step.name);
  Json result = {{"pipeline", pipeline_.name},    {"step", step.name},
                 {"run", state_.name()},          {"job", state.job},
                 {"time", rfc3339(clock_.now())}, {"parts", state.parts},
                 {"inputs", state.inputs},        {"outputs", outputs}};
  result.update(runner_.notes_of(job_of(step, false)));
  cache_.keep(step, state.key, result);
}

/// Throws Error for the first output that is not there.
Json Engine::made_by(const Step& step, const engine::JobReport& report) {
  Json outputs = runner_.made_by(job_of(step, false));
  for (const Output& output : step.outputs)
    if (output.kind == OutputKind::metric) outputs[output.name] = {{"value", metric_of(output, report)}};
  return outputs;
}

/// The last value that was told.
double Engine::metric_of(const Output& output, const engine::JobReport& report) const {
  const auto values = metrics_.find(report.job);
  if (values != metrics_.end() && values->second.contains(output.metric))
    return values->second.at(output.metric);
  throw Error(ErrorCode::job_failed, "it ended well, but logged no " + output.metric,
              report.lost_lines
                  ? "its log could not be read to the end"
                  : "output " + output.name + " is read from a line such as \"" + output.metric + "=0.97\"");
}

/// What an earlier step made is gone, though its result said where it is: that step runs again, once, and
/// then this one.
bool Engine::renew_source(const Step& step, const engine::JobReport& report) {
  const auto input = std::find_if(step.inputs.begin(), step.inputs.end(),
                                  [&](const Input& each) { return each.name == report.lost_input; });
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

/// Or tries again, where the step has retries left, or the cluster took its pod away.
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

/// How the run ends as it stands; the step of onExit does not count.
const char* Engine::outcome() const {
  const bool is_cancelled = std::any_of(state_.steps().begin(), state_.steps().end(), [](const auto& each) {
    return each.second.phase == Phase::cancelled;
  });
  return is_stopping_ || is_cancelled ? "stopped" : must_halt() ? "failed" : "succeeded";
}

void Engine::end() {
  const bool has_exit_failed =
      std::any_of(pipeline_.steps.begin(), pipeline_.steps.end(), [&](const Step& step) {
        return step.at_exit && !step.continues && state_.step(step.name).phase == Phase::failed;
      });
  const std::string ended = outcome();
  decide("end", {{"outcome", ended == "succeeded" && has_exit_failed ? "failed" : ended}});
  journal_.commit();
}

}  // namespace kml::pipeline
