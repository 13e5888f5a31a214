#include <algorithm>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/exception_text.h"
#include "kml/sweep/engine/sweep_state.h"
#include "sweep/samplers/front.h"
#include "sweep/spec/warm_start.h"

namespace kml::sweep {

namespace {

void take_results(Trial& trial, const record::Results& results) {
  if (!results.curve.empty()) trial.curve = results.curve;
  if (!results.metrics.empty()) trial.metrics = results.metrics;
  trial.diverged = results.diverged;
  for (const auto& [name, last] : trial.diverged) trial.metrics.erase(name);
}

/// Whether an engine was running at the time in this record. A change may be recorded after the end of the
/// sweep, when no engine is running. The times at which pods started and were removed come from the server's
/// clock.
bool is_by_the_engines_clock(const Record& record) {
  return !std::holds_alternative<record::Change>(record.what) &&
         !std::holds_alternative<record::Running>(record.what) &&
         !std::holds_alternative<record::Waiting>(record.what);
}

}  // namespace

/// Applies a record to the state.
struct SweepState::Fold {
  SweepState& state;

  void take(const record::Unknown& /*what*/, Time /*time*/) {}

  void take(const record::Sweep& what, Time time) {
    SweepSpec spec = parse_sweep(what.document, "the journal");
    Space space(spec.parameters, spec.constraints);
    std::string algorithm = algorithm_of(spec, space);
    std::vector<Observation> known = observations_of(spec.warm_start, space, spec.objective);
    state.origin_ = SweepOrigin{std::move(spec), std::move(space), std::move(algorithm), what.id,
                                what.target,     what.code,        std::move(known)};
    state.sessions_.begun = time;
  }

  void take(const record::Session& what, Time time) {
    if (what.previous_until && *what.previous_until < time)
      state.sessions_.last = std::max(state.sessions_.last, *what.previous_until);
    if (state.sessions_.current != Time{})
      state.sessions_.earlier += std::max(state.sessions_.last - state.sessions_.current, nanoseconds{0});
    state.sessions_.current = state.sessions_.last =
        time;  // the clock may have been set back since the last session
    go_on();
  }

  void take(const record::Change& what, Time /*time*/) {
    state.origin_->spec = parse_sweep(what.document, "the journal");
    if (state.spec().algorithm != "auto") state.origin_->algorithm = state.spec().algorithm;
  }

  /// Prepares for a resume. The user may have fixed the cause of failures, and may have raised the budget so
  /// that paused trials can continue.
  void go_on() {
    state.end_ = {};
    state.nodes_.begin_row();
    for (const std::uint64_t number : std::exchange(state.lists_.left, {})) {
      Trial& trial = state.trials_[number];
      --state.lists_.outcomes[*trial.outcome];
      trial.outcome.reset();
      trial.state = TrialState::paused;
      trial.value.reset();
      trial.ended.reset();
      std::erase(state.lists_.ended, number);
      state.lists_.paused.insert(number);
    }
  }

  void take(const record::Asked& what, Time time) {
    if (what.trial != state.trials_.size())
      throw damaged_journal("a trial is missing before trial " + std::to_string(what.trial));
    Trial trial;
    trial.number = what.trial;
    trial.values = what.values;
    trial.point = state.space().point(trial.values);
    trial.lineage = what.lineage;
    if (trial.lineage && trial.lineage->parent.value_or(0) >= std::max<size_t>(state.trials_.size(), 1))
      throw damaged_journal("trial " + std::to_string(what.trial) + " continues a later trial");
    trial.asked = time;
    state.lists_.running.insert(trial.number);
    state.trials_.push_back(std::move(trial));
  }

  void take(const record::Begun& what, Time /*time*/) {
    Trial& trial = trial_of(what.trial);
    trial.until = what.until;
    begin(trial, what.job, what.rung, what.attempt);
  }

  void take(const Wave& what, Time /*time*/) {
    for (size_t i = 0; i < what.trials.size(); ++i) {
      Trial& trial = trial_of(what.trials[i]);
      begin(trial, index_name(what.job, i), 0, trial.job.empty() ? 0 : trial.attempt + 1);
    }
    state.waves_.push_back(what);
  }

  void begin(Trial& trial, const std::string& job, int rung, int attempt) {
    trial.job = job;
    trial.rung = rung;
    trial.attempt = attempt;
    trial.state = TrialState::running;
    trial.is_seen = trial.is_withdrawn = false;
    state.lists_.paused.erase(trial.number);
    state.lists_.withdrawn.erase(trial.number);
    state.lists_.running.insert(trial.number);
    state.lists_.by_job[trial.job] = trial.number;
  }

  void take(const record::Running& what, Time time) {
    Trial& trial = trial_of(what.trial);
    trial.node = what.node;
    trial.is_seen = true;
    if (!trial.began) trial.began = std::max(time, trial.asked);  // the server's times are in whole seconds
  }

  void take(const record::Waiting& what, Time /*time*/) { trial_of(what.trial).is_seen = false; }

  void take(const record::Rung& what, Time /*time*/) {
    Trial& trial = trial_of(what.trial);
    if (what.results.curve.empty()) trial.curve.emplace_back(what.resource, what.value);
    take_results(trial, what.results);
    trial.judged = what.resource;
    trial.is_cut = what.decision == record::Rung::Decision::stop;
    if (what.decision != record::Rung::Decision::pause) return;
    trial.state = TrialState::paused;
    take_use(trial, what.gpu_seconds);
    state.lists_.running.erase(trial.number);
    state.lists_.paused.insert(trial.number);
    state.nodes_.note_result(trial.node);
  }

  void take(const record::Judged& what, Time /*time*/) { trial_of(what.trial).judgement = what; }

  void take(const record::Failed& what, Time /*time*/) {
    Trial& trial = trial_of(what.trial);
    take_use(trial, what.gpu_seconds);
    take_results(trial, what.results);
    trial.is_seen = false;
    if (!state.spec().is_indexed) {  // in an indexed sweep, Kubernetes retries within the same Job
      trial.job.clear();
      ++trial.attempt;
    }
    switch (what.fault) {
      case record::Failed::Fault::disrupted: break;  // not counted
      case record::Failed::Fault::lost: ++trial.losses; break;
      case record::Failed::Fault::own:
        ++trial.failures;
        state.nodes_.note_failure(what.node);
        break;
    }
  }

  void take(const record::Ended& what, Time time) {
    Trial& trial = trial_of(what.trial);
    trial.outcome = what.outcome;
    trial.state = state_of(what.outcome);
    trial.cause = what.cause;
    trial.node = what.node;
    // the server's times are in whole seconds
    trial.ended = std::max(time, trial.began.value_or(trial.asked));
    take_use(trial, what.gpu_seconds);
    take_results(trial, what.results);
    if (what.value) trial.value = what.value;
    if (state.lists_.paused.contains(trial.number)) state.lists_.left.insert(trial.number);
    state.lists_.ended.push_back(trial.number);
    state.lists_.running.erase(trial.number);
    state.lists_.paused.erase(trial.number);
    state.lists_.withdrawn.erase(trial.number);
    ++state.lists_.outcomes[what.outcome];
    if (trial.state != TrialState::failed)
      state.nodes_.note_result(trial.node);
    else
      state.nodes_.note_failed_trial(trial.node);
    if (what.outcome == Outcome::failed) state.nodes_.note_failure(trial.node);
    if (trial.state == TrialState::complete && trial.value) rank(trial);
  }

  /// Updates the best trial or the front.
  void rank(const Trial& trial) {
    if (!state.spec().has_front()) {
      const auto cost = [&](const Trial& each) { return state.spec().objective.cost(*each.value); };
      if (!state.best_ || cost(trial) < cost(state.trials_[*state.best_])) state.best_ = trial.number;
      return;
    }
    const auto costs_of = [&](std::uint64_t number) {
      const Trial& each = state.trials_[number];
      Costs costs = further_costs(state.spec(), each);
      costs.insert(costs.begin(), state.spec().objective.cost(*each.value));
      return costs;
    };
    const Costs costs = costs_of(trial.number);
    if (costs.size() != state.spec().further.size() + 1) return;
    const auto is_better = [&](std::uint64_t other) { return dominates(costs_of(other), costs); };
    if (std::any_of(state.front_.begin(), state.front_.end(), is_better)) return;
    std::erase_if(state.front_, [&](std::uint64_t other) { return dominates(costs, costs_of(other)); });
    state.front_.push_back(trial.number);
  }

  void take(const record::Withdrawn& what, Time /*time*/) {
    Trial& trial = trial_of(what.trial);
    take_use(trial, what.gpu_seconds);
    take_results(trial, what.results);
    trial.is_seen = false;
    trial.is_withdrawn = true;
    state.lists_.running.erase(trial.number);
    state.lists_.withdrawn.insert(trial.number);
  }

  void take(const record::End& what, Time /*time*/) { state.end_ = what; }

  void take_use(Trial& trial, double gpu_seconds) {
    trial.gpu_seconds += gpu_seconds;
    state.gpu_seconds_ += gpu_seconds;
  }

  Trial& trial_of(std::uint64_t number) {
    if (number >= state.trials_.size())
      throw damaged_journal("it mentions trial " + std::to_string(number) + ", which it never proposed");
    return state.trials_[number];
  }
};

void SweepState::apply(const Record& record) {
  if (is_empty() && !std::holds_alternative<record::Sweep>(record.what))
    throw Error(ErrorCode::failure, "this is not the journal of a sweep",
                "its first record is " + to_json(record).dump());
  try {
    Fold fold{*this};
    std::visit([&](const auto& what) { fold.take(what, record.job_ended.value_or(record.time)); },
               record.what);
  } catch (const Json::exception& error) {
    throw damaged_journal(exception_text(error) + ": " + compact_text(to_json(record)));
  }
  timeline_.apply(record);
  if (is_by_the_engines_clock(record)) sessions_.last = std::max(sessions_.last, record.time);
}

}  // namespace kml::sweep
