#include "kml/pipeline/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/sha256.h"
#include "kml/pipeline/engine/run_time.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/engine_words.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

/// How long it may take to notice a stop, or a step that is due to be tried again.
constexpr std::chrono::milliseconds kLongestWait{500};
/// How long it may take to notice that another run has made what a step waits for.
constexpr std::chrono::milliseconds kClaimWait{50};

/// The names of a job's pods, Services and trials begin with its name, and may have at most 63 characters:
/// "-t00042-r1-a0" follows in a sweep, "-worker-999" where the training operator makes the pods, after the
/// number of the attempt. Names of Services begin with a letter (RFC 1035).
std::string job_name(const std::string& run, const Step& step, int attempt) {
  const size_t most = is_sweep(step) ? 48 : 46;
  const bool has_template = step.settings.find("template") != nullptr;
  const bool begins_with_digit = run.front() >= '0' && run.front() <= '9';
  std::string name = (has_template && begins_with_digit ? "run-" : "") + run + "-" + step.name;
  if (name.size() > most) name = name.substr(0, most - 9) + "-" + sha256_hex(name).substr(0, 8);
  return attempt == 0 ? name : name + "-r" + std::to_string(attempt);
}

/// The job of a single submitted job has the name of its run.
std::string job_name(const RunState& run, const Step& step, int attempt) {
  const std::string name = run.name();
  if (bool_at(run.head(), {"isJob"})) return attempt == 0 ? name : name + "-r" + std::to_string(attempt);
  return job_name(name, step, is_sweep(step) ? 0 : attempt);  // a sweep continues
}

bool has_path(const Step& step, const std::string& path) {
  return std::any_of(step.outputs.begin(), step.outputs.end(),
                     [&](const Output& output) { return output.path == path; });
}

}  // namespace

Engine::Engine(engine::Journal& journal, Pipeline& pipeline, const Cache& cache, StepRunner& runner,
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
  index_.update(step, state_.step(step));
  changed_.insert(step);
  if (state_.step(step).phase != Phase::running) claims_.erase(step);
}

std::vector<const Step*> Engine::changed() const {
  StepIndex::Places places;
  for (const std::string& step : changed_) places.insert(index_.place(step));
  std::vector<const Step*> steps;
  for (const size_t place : places) steps.push_back(&pipeline_.steps[place]);
  return steps;
}

/// Tells of the round's decisions.
void Engine::tell() {
  hooks_.on_step(*this);
  changed_.clear();
}

void Engine::run(const std::string& owner) {
  journal_.read([&](const Json& record) { state_.apply(record); });
  if (!state_.end().empty()) return;
  if (pipeline_.with_items) pipeline_.steps = pipeline_.with_items(state_.items()).steps;
  index_.rebuild(pipeline_, state_);
  decide("session", {{"owner", owner}});
  reattach();
  repeat_exits();
  while (true) {
    plan();
    journal_.commit();
    if (!to_start_.empty()) runner_.start(std::exchange(to_start_, {}));
    if (grow()) continue;
    tell();
    if (time_to_next() == kLongestWait.zero()) break;
    for (const engine::JobReport& report : runner_.wait(time_to_next())) take(report);
    journal_.show_life(clock_);
    if (is_stopping_ || !hooks_.stop_wish()) continue;
    is_stopping_ = true;
    for (const size_t place : index_.in(Phase::running))
      runner_.stop(state_.step(pipeline_.steps[place].name).job);
  }
  end();
  tell();
}

/// How long only a report can change anything; zero if not even a report can.
std::chrono::milliseconds Engine::time_to_next() const {
  if (!awaited_.empty() && !is_closing()) return kClaimWait;
  if (!index_.in(Phase::running).empty()) return kLongestWait;
  const StepIndex::Places& waiting = index_.in(Phase::waiting);
  const bool is_any_due = std::any_of(waiting.begin(), waiting.end(), [&](size_t place) {
    const Step& step = pipeline_.steps[place];
    return state_.step(step.name).not_before != Time{} && (goes_on(step) || !is_closing());
  });
  return is_any_due ? kLongestWait : kLongestWait.zero();
}

/// Whether no new steps start, except those for which goes_on() is true.
bool Engine::is_closing() const {
  return is_stopping_ || must_halt();
}

/// Whether the step may start while the run is closing: because it belongs to the run's end or, unless the
/// run was stopped, because it waits for a retry.
bool Engine::goes_on(const Step& step) const {
  return step.at_exit || (!is_stopping_ && state_.step(step.name).not_before != Time{});
}

/// Whether no other step may start because one has failed. A run with keepsGoing starts all steps that it
/// can.
bool Engine::must_halt() const {
  return !bool_at(state_.head(), {"keepsGoing"}) && has_needed_failed();
}

/// Whether a step has failed and its failure ends the run.
bool Engine::has_needed_failed() const {
  const StepIndex::Places& failed = index_.in(Phase::failed);
  return std::any_of(failed.begin(), failed.end(), [&](size_t place) {
    return !pipeline_.steps[place].continues && !pipeline_.steps[place].at_exit;
  });
}

/// Whether as many steps of its foreach run as are allowed to, or one that writes to the same file.
bool Engine::is_crowded(const Step& step) const {
  const StepIndex::Places& running = index_.in(Phase::running);
  for (const Output& output : step.outputs)
    if (!output.path.empty() && runner_.shares_folder() &&
        std::any_of(running.begin(), running.end(),
                    [&](size_t place) { return has_path(pipeline_.steps[place], output.path); }))
      return true;
  return step.parallel != 0 && std::count_if(running.begin(), running.end(), [&](size_t place) {
                                 return pipeline_.steps[place].group == step.group;
                               }) >= step.parallel;
}

void Engine::reattach() {
  for (const Step& step : pipeline_.steps) {
    const StepState& state = state_.step(step.name);
    if (state.phase != Phase::running) continue;
    to_start_.push_back(job_of(step, false));
    // Another run may have begun to make the same meanwhile; this job continues anyway.
    std::vector<std::string> keys = path_keys(step);
    keys.push_back(state.key);
    for (const std::string& key : keys)
      if (KeyClaim claim = cache_.claim(key, state_.name()); claim)
        claims_[step.name].push_back(std::move(claim));
  }
}

/// When a run is tried again, its steps of onExit run again too, to see how it ends this time.
void Engine::repeat_exits() {
  for (const Step& step : pipeline_.steps)
    if (step.at_exit && has_made(state_.step(step.name).phase) &&
        std::any_of(step.after.begin(), step.after.end(),
                    [&](const std::string& name) { return !has_ended(state_.step(name).phase); }))
      decide("again", step.name,
             {{"cause", "the run is tried again"}, {"until", rfc3339_micro(clock_.now())}, {"isLost", true}});
}

/// Considers the steps in their order, so that a decision can allow others in the same round.
void Engine::plan() {
  is_closing_ = is_closing();
  const StepIndex::Places& waiting = index_.in(Phase::waiting);
  for (auto next = waiting.begin(); next != waiting.end();) {
    const size_t place = *next++;  // a decision may take the step out of the set
    const Step& step = pipeline_.steps[place];
    if (is_closing_ && !goes_on(step)) continue;
    if (step.items || !is_ready(place) || is_crowded(step)) continue;
    try {
      consider(step);
    } catch (const Error& error) {
      if (error.code == ErrorCode::interrupted || error.reason == kStoreTrouble) throw;
      decide("ended", step.name, {{"isDone", false}, {"cause", cause_of(error)}});
      is_closing_ = is_closing();
    }
  }
}

/// Expands the next foreach over other steps' outputs, if its inputs are known. Returns whether there was
/// one. Called when no step is about to start, because those are known by their places among the steps.
bool Engine::grow() {
  if (!pipeline_.with_items || is_closing()) return false;
  const StepIndex::Places& waiting = index_.in(Phase::waiting);
  const auto next = std::find_if(waiting.begin(), waiting.end(), [&](size_t place) {
    return pipeline_.steps[place].items && is_ready(place);
  });
  if (next == waiting.end()) return false;
  grow(pipeline_.steps[*next]);
  return true;
}

/// The journal gets the items before the steps exist: the next engine makes the same steps, even if the other
/// step's output has changed.
void Engine::grow(const Step& step) {
  if (const std::string reason = reason_to_skip(step); !reason.empty())
    return decide("skipped", step.name, {{"cause", reason}});
  try {
    const Json items = step.items(inputs_of(step));
    Json known = state_.items();
    known[step.name] = items;
    std::vector<Step> grown = pipeline_.with_items(known).steps;  // may refuse a step
    decide("items", step.name, {{"items", items}});
    pipeline_.steps = std::move(grown);
    index_.rebuild(pipeline_, state_);
  } catch (const Error& error) {
    decide("ended", step.name, {{"isDone", false}, {"cause", cause_of(error)}});
  }
}

bool Engine::is_ready(size_t place) const {
  const std::vector<size_t>& awaited = index_.dependencies(place);
  const bool is_any_awaited = std::any_of(awaited.begin(), awaited.end(), [&](size_t each) {
    const Phase phase = index_.phase(each);
    return !has_ended(phase) && !(is_closing_ && phase == Phase::waiting);
  });
  return !is_any_awaited && state_.step(pipeline_.steps[place].name).not_before <= clock_.now();
}

void Engine::consider(const Step& step) {
  if (const auto awaited = awaited_.find(step.name); awaited != awaited_.end()) {
    if (!cache_.claim(awaited->second, state_.name())) return;
    awaited_.erase(awaited);
  }
  if (const std::string reason = reason_to_skip(step); !reason.empty())
    return decide("skipped", step.name, {{"cause", reason}});
  const Json inputs = inputs_of(step);
  const Renewal renewal = state_.renewal();
  Verdict verdict = cache_.look(step, keyed_values(state_.head()), inputs, renewal);
  if (!verdict.result && !claim_what_it_makes(step, verdict)) return;
  // The previous holder of the claim may have stored a result since.
  if (!verdict.result && step.is_cached) verdict = cache_.look_again(step, std::move(verdict), renewal);
  if (verdict.result) {
    claims_.erase(step.name);
    const Json result = cache_.use(step, verdict.key, *verdict.result);
    return decide("hit", step.name,
                  {{"key", verdict.key},
                   {"outputs", object_at(result, {"outputs"})},
                   {"from", string_at(result, {"run"})},
                   {"cause", ""}});
  }
  begin(step, verdict, inputs);
}

/// The keys of the files to which the step writes at paths of its own. Steps of all runs on this machine that
/// start in the same folder share them.
std::vector<std::string> Engine::path_keys(const Step& step) const {
  std::vector<std::string> keys;
  if (!runner_.shares_folder()) return keys;
  const yaml::Node* const chdir = step.settings.find("chdir");
  for (const Output& output : step.outputs) {
    if (output.path.empty()) continue;
    const fs::path path = pipeline_.folder / (chdir ? chdir->text : "") / output.path;
    std::error_code unknown;
    const fs::path canonical = fs::weakly_canonical(path, unknown);
    keys.push_back("path-" + sha256_hex((unknown ? path.lexically_normal() : canonical).string()));
  }
  return keys;
}

/// Returns false if another step or run holds the key: the step waits for it.
bool Engine::claim_key(const Step& step, const std::string& key, const char* what) {
  if (KeyClaim claim = cache_.claim(key, state_.name()); claim) {
    claims_[step.name].push_back(std::move(claim));
    return true;
  }
  claims_.erase(step.name);
  awaited_[step.name] = key;
  const std::string run = cache_.claimer(key);
  const bool is_own = run.empty() || run == state_.name();
  const std::string cause =
      fmt::format("waits for {}, which {}", is_own ? "another step" : "run " + run, what);
  if (state_.step(step.name).cause != cause) decide("wait", step.name, {{"cause", cause}});
  return false;
}

/// Returns false if the step must wait: another run of this machine, or another step of this run, is making
/// the same, or writes to the same file. A step that must run again does not wait for its result.
bool Engine::claim_what_it_makes(const Step& step, const Verdict& verdict) {
  for (const std::string& key : path_keys(step))
    if (!claim_key(step, key, "writes to the same file")) return false;
  if (!step.is_cached) return true;
  const Renewal renewal = state_.renewal();
  if (!renewal.all && !renewal.names(step)) return claim_key(step, verdict.key, "is making the same result");
  if (KeyClaim claim = cache_.claim(verdict.key, state_.name()); claim)
    claims_[step.name].push_back(std::move(claim));
  return true;
}

void Engine::begin(const Step& step, const Verdict& verdict, const Json& inputs) {
  const int attempt = state_.step(step.name).attempt;
  decide("begun", step.name,
         {{"attempt", attempt},
          {"job", job_name(state_, step, attempt)},
          {"key", verdict.key},
          {"parts", verdict.parts},
          {"inputs", inputs},
          {"cause", verdict.cause}});
  to_start_.push_back(job_of(step, true));
}

/// The run's outcome if it ended now; the step of onExit does not count.
const char* Engine::outcome() const {
  const bool is_cancelled = !index_.in(Phase::cancelled).empty();
  return is_stopping_ || is_cancelled ? "stopped" : has_needed_failed() ? "failed" : "succeeded";
}

void Engine::end() {
  const StepIndex::Places& failed = index_.in(Phase::failed);
  const bool has_exit_failed = std::any_of(failed.begin(), failed.end(), [&](size_t place) {
    return pipeline_.steps[place].at_exit && !pipeline_.steps[place].continues;
  });
  const std::string ended = outcome();
  decide("end", {{"outcome", ended == "succeeded" && has_exit_failed ? "failed" : ended}});
  journal_.commit();
}

}  // namespace kml::pipeline
