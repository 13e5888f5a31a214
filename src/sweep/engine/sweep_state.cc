#include "kml/sweep/engine/sweep_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/exception_text.h"
#include "kml/sweep/samplers/front.h"
#include "kml/sweep/spec/warm_start.h"

namespace kml::sweep {

namespace {

void take_results(Trial& trial, const record::Results& results) {
  if (!results.curve.empty()) trial.curve = results.curve;
  if (!results.metrics.empty()) trial.metrics = results.metrics;
  trial.diverged = results.diverged;
  for (const auto& [name, last] : trial.diverged) trial.metrics.erase(name);
}

/// Whether the record's time is a time at which an engine was running. A change may be made after the end of
/// the sweep, when no engine runs. The times of starts and removals of pods come from the server's clock.
bool is_by_the_engines_clock(const Record& record) {
  return !std::holds_alternative<record::Change>(record.what) &&
         !std::holds_alternative<record::Running>(record.what) &&
         !std::holds_alternative<record::Waiting>(record.what);
}

}  // namespace

std::string index_name(const std::string& job, size_t index) {
  return job + "-" + std::to_string(index);
}

record::Judged judged(std::uint64_t trial, const Verdict& verdict, const Objective& objective) {
  record::Judged made{trial, verdict.resource, objective.value(verdict.value)};
  if (verdict.cutoff) made.cutoff = objective.value(*verdict.cutoff);
  made.place = verdict.place;
  made.of = verdict.of;
  made.stops = verdict.stops;
  return made;
}

void SweepState::apply(const Record& record) {
  if (!spec_ && !std::holds_alternative<record::Sweep>(record.what))
    throw Error(ErrorCode::failure, "this is not the journal of a sweep",
                "its first record is " + to_json(record).dump());
  try {
    std::visit([&](const auto& what) { take(what, record.job_ended.value_or(record.time)); }, record.what);
  } catch (const Json::exception& error) {
    throw damaged_journal(exception_text(error) + ": " + compact_text(to_json(record)));
  }
  timeline_.apply(record);
  if (is_by_the_engines_clock(record)) last_ = std::max(last_, record.time);
}

void SweepState::take(const record::Sweep& what, Time time) {
  spec_ = parse_sweep(what.document, "the journal");
  space_.emplace(spec_->parameters, spec_->constraints);
  algorithm_ = algorithm_of(*spec_, *space_);
  warm_start_ = observations_of(spec_->warm_start, *space_, spec_->objective);
  id_ = what.id;
  target_ = what.target;
  begun_ = time;
}

void SweepState::take(const record::Session& what, Time time) {
  if (what.previous_until && *what.previous_until < time) last_ = std::max(last_, *what.previous_until);
  if (session_ != Time{}) earlier_sessions_ += std::max(last_ - session_, nanoseconds{0});
  session_ = last_ = time;  // the clock may have been set back since the previous session
  go_on();
}

void SweepState::take(const record::Change& what, Time /*time*/) {
  spec_ = parse_sweep(what.document, "the journal");
  if (spec_->algorithm != "auto") algorithm_ = spec_->algorithm;
}

/// Prepares for a resume: its user may have fixed the cause of failures, and may have raised the budget so
/// that paused trials can continue.
void SweepState::go_on() {
  end_.clear();
  failed_on_.clear();
  for (const std::uint64_t number : std::exchange(left_, {})) {
    Trial& trial = trials_[number];
    --outcomes_[*trial.outcome];
    trial.outcome.reset();
    trial.state = TrialState::paused;
    trial.value.reset();
    trial.ended.reset();
    std::erase(ended_, number);
    paused_.insert(number);
  }
}

void SweepState::take(const record::Asked& what, Time time) {
  if (what.trial != trials_.size())
    throw damaged_journal("a trial is missing before trial " + std::to_string(what.trial));
  Trial trial;
  trial.number = what.trial;
  trial.values = what.values;
  trial.point = space_->point(trial.values);
  trial.lineage = what.lineage;
  if (trial.lineage && trial.lineage->parent.value_or(0) >= std::max<size_t>(trials_.size(), 1))
    throw damaged_journal("trial " + std::to_string(what.trial) + " continues a later trial");
  trial.asked = time;
  running_.insert(trial.number);
  trials_.push_back(std::move(trial));
}

void SweepState::take(const record::Begun& what, Time /*time*/) {
  Trial& trial = trial_of(what.trial);
  trial.until = what.until;
  begin(trial, what.job, what.rung, what.attempt);
}

void SweepState::take(const Wave& what, Time /*time*/) {
  for (size_t i = 0; i < what.trials.size(); ++i) {
    Trial& trial = trial_of(what.trials[i]);
    begin(trial, index_name(what.job, i), 0, trial.job.empty() ? 0 : trial.attempt + 1);
  }
  waves_.push_back(what);
}

void SweepState::begin(Trial& trial, const std::string& job, int rung, int attempt) {
  trial.job = job;
  trial.rung = rung;
  trial.attempt = attempt;
  trial.state = TrialState::running;
  trial.is_seen = trial.is_withdrawn = false;
  paused_.erase(trial.number);
  withdrawn_.erase(trial.number);
  running_.insert(trial.number);
  by_job_[trial.job] = trial.number;
}

void SweepState::take(const record::Running& what, Time time) {
  Trial& trial = trial_of(what.trial);
  trial.node = what.node;
  trial.is_seen = true;
  if (!trial.began) trial.began = std::max(time, trial.asked);  // the server's times are whole seconds
}

void SweepState::take(const record::Waiting& what, Time /*time*/) {
  trial_of(what.trial).is_seen = false;
}

void SweepState::take(const record::Rung& what, Time /*time*/) {
  Trial& trial = trial_of(what.trial);
  if (what.results.curve.empty()) trial.curve.emplace_back(what.resource, what.value);
  take_results(trial, what.results);
  trial.judged = what.resource;
  trial.is_cut = what.decision == record::Rung::Decision::stop;
  if (what.decision != record::Rung::Decision::pause) return;
  trial.state = TrialState::paused;
  take_use(trial, what.gpu_seconds);
  running_.erase(trial.number);
  paused_.insert(trial.number);
  note_result(trial.node);
}

void SweepState::take(const record::Judged& what, Time /*time*/) {
  trial_of(what.trial).judgement = what;
}

void SweepState::take(const record::Failed& what, Time /*time*/) {
  Trial& trial = trial_of(what.trial);
  take_use(trial, what.gpu_seconds);
  take_results(trial, what.results);
  trial.is_seen = false;
  if (!spec_->is_indexed) {  // in an indexed sweep, Kubernetes retries in the same Job
    trial.job.clear();
    ++trial.attempt;
  }
  switch (what.fault) {
    case record::Failed::Fault::disrupted: break;  // not counted
    case record::Failed::Fault::lost: ++trial.losses; break;
    case record::Failed::Fault::own:
      ++trial.failures;
      ++node_failures_[what.node];
      break;
  }
}

void SweepState::take(const record::Ended& what, Time time) {
  Trial& trial = trial_of(what.trial);
  trial.outcome = what.outcome;
  trial.state = state_of(what.outcome);
  trial.cause = what.cause;
  trial.node = what.node;
  trial.ended = std::max(time, trial.began.value_or(trial.asked));  // the server's times are whole seconds
  take_use(trial, what.gpu_seconds);
  take_results(trial, what.results);
  if (what.value) trial.value = what.value;
  if (paused_.contains(trial.number)) left_.insert(trial.number);
  ended_.push_back(trial.number);
  running_.erase(trial.number);
  paused_.erase(trial.number);
  withdrawn_.erase(trial.number);
  ++outcomes_[what.outcome];
  if (trial.state != TrialState::failed)
    note_result(trial.node);
  else
    failed_on_.push_back(trial.node);
  if (what.outcome == Outcome::failed) ++node_failures_[trial.node];
  if (trial.state == TrialState::complete && trial.value) rank(trial);
}

/// Keeps the best trial, or the front.
void SweepState::rank(const Trial& trial) {
  if (!spec_->has_front()) {
    const auto cost = [&](const Trial& each) { return spec_->objective.cost(*each.value); };
    if (!best_ || cost(trial) < cost(trials_[*best_])) best_ = trial.number;
    return;
  }
  const auto costs_of = [&](std::uint64_t number) {
    const Trial& each = trials_[number];
    Costs costs = further_costs(each);
    costs.insert(costs.begin(), spec_->objective.cost(*each.value));
    return costs;
  };
  const Costs costs = costs_of(trial.number);
  if (costs.size() != spec_->further.size() + 1) return;
  const auto is_better = [&](std::uint64_t other) { return dominates(costs_of(other), costs); };
  if (std::any_of(front_.begin(), front_.end(), is_better)) return;
  std::erase_if(front_, [&](std::uint64_t other) { return dominates(costs, costs_of(other)); });
  front_.push_back(trial.number);
}

/// Those of the objectives after the first; empty unless it has all of them.
std::vector<double> SweepState::further_costs(const Trial& trial) const {
  std::vector<double> costs;
  for (size_t i = 0; i < spec_->further.size(); ++i)
    if (const auto value = value_of(trial, i + 1)) costs.push_back(spec_->further[i].cost(*value));
  if (costs.size() < spec_->further.size()) costs.clear();
  return costs;
}

std::optional<double> SweepState::value_of(const Trial& trial, size_t objective) const {
  if (objective == 0) return trial.value;
  const auto found = trial.metrics.find(spec_->further[objective - 1].metric);
  return found == trial.metrics.end() ? std::nullopt : std::optional(found->second);
}

void SweepState::take(const record::Withdrawn& what, Time /*time*/) {
  Trial& trial = trial_of(what.trial);
  take_use(trial, what.gpu_seconds);
  take_results(trial, what.results);
  trial.is_seen = false;
  trial.is_withdrawn = true;
  running_.erase(trial.number);
  withdrawn_.insert(trial.number);
}

void SweepState::take(const record::End& what, Time /*time*/) {
  end_ = what.reason;
}

void SweepState::take_use(Trial& trial, double gpu_seconds) {
  trial.gpu_seconds += gpu_seconds;
  gpu_seconds_ += gpu_seconds;
}

void SweepState::note_result(const std::string& node) {
  failed_on_.clear();
  node_failures_.erase(node);
  good_nodes_.insert(node);
}

Trial& SweepState::trial_of(std::uint64_t number) {
  if (number >= trials_.size())
    throw damaged_journal("it mentions trial " + std::to_string(number) + ", which it never proposed");
  return trials_[number];
}

const Trial* SweepState::find(const std::string& job) const {
  const auto found = by_job_.find(job);
  return found == by_job_.end() ? nullptr : &trials_[found->second];
}

size_t SweepState::count(Outcome outcome) const {
  const auto found = outcomes_.find(outcome);
  return found == outcomes_.end() ? 0 : found->second;
}

nanoseconds SweepState::wall_time(Time now) const {
  if (session_ == Time{}) return earlier_sessions_;
  return earlier_sessions_ + std::max(now - session_, nanoseconds{0});
}

std::vector<std::string> SweepState::bad_nodes() const {
  std::vector<std::string> nodes;
  for (const auto& [node, failures] : node_failures_)
    if (failures >= 2 && !node.empty()) nodes.push_back(node);
  return nodes;
}

bool SweepState::has_good_node() const {
  const std::vector<std::string> bad = bad_nodes();
  const auto is_good = [&](const std::string& node) {
    return !node.empty() && std::find(bad.begin(), bad.end(), node) == bad.end();
  };
  return std::any_of(good_nodes_.begin(), good_nodes_.end(), is_good) ||
         std::any_of(running_.begin(), running_.end(), [&](std::uint64_t number) {
           return trials_[number].is_seen && is_good(trials_[number].node);
         });
}

bool SweepState::may_be_a_bad_node() const {
  const std::vector<std::string> bad = bad_nodes();
  const auto is_that = [&](const std::string& node) { return node == failed_on_[0]; };
  return std::all_of(failed_on_.begin(), failed_on_.end(), is_that) &&
         std::any_of(bad.begin(), bad.end(), is_that) && has_good_node();
}

/// Includes the sweep's id, because an earlier sweep of the same name may have left checkpoints.
std::string SweepState::checkpoint_folder(const std::string& whose) const {
  if (spec_->checkpoint_folder.empty()) return {};
  return spec_->checkpoint_folder + "/" + spec_->name + "-" + id_ + "-" + whose;
}

Observation SweepState::observation(const Trial& trial) const {
  Observation seen;
  seen.trial = trial.number;
  seen.point = trial.point;
  seen.state = trial.state;
  seen.granted = trial.until;
  seen.lineage = trial.lineage;
  if (trial.value) seen.objective = spec_->objective.cost(*trial.value);
  seen.further = further_costs(trial);
  const bool best_counts = spec_->objective.strategy == Objective::Strategy::best;
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [resource, value] : trial.curve) {
    const double cost = spec_->objective.cost(value);
    if (!(cost >= best)) best = cost;
    seen.curve.emplace_back(resource, best_counts ? best : cost);
  }
  return seen;
}

}  // namespace kml::sweep
