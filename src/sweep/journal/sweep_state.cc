#include "kml/sweep/sweep_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kml/core/error.h"
#include "kml/sweep/sampler.h"
#include "kml/sweep/warm_start.h"
#include "sweep/journal/wave.h"

namespace kml::sweep {

namespace {

Time time_of(const Json& record) {
  return parse_rfc3339(string_at(record, {"time"})).value_or(Time{});
}

double number_at(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number() ? found->get<double>() : 0;
}

void take_results(Trial& trial, const Json& record) {
  if (const auto curve = record.find("curve"); curve != record.end()) trial.curve = curve->get<Curve>();
  if (const auto metrics = record.find("metrics"); metrics != record.end())
    trial.metrics = metrics->get<std::map<std::string, double>>();
}

}  // namespace

TrialState state_of_outcome(const std::string& outcome) {
  if (outcome == "complete") return TrialState::complete;
  if (outcome == "pruned") return TrialState::pruned;
  if (outcome == "diverged") return TrialState::diverged;
  return TrialState::failed;
}

void SweepState::apply(const Json& record) {
  try {
    take(record);
    timeline_.apply(record);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::failure, "the journal is damaged",
                std::string(error.what()) + ": " + record.dump());
  }
}

void SweepState::take(const Json& record) {
  const std::string kind = string_at(record, {"record"});
  if (!spec_ && kind != "sweep")
    throw Error(ErrorCode::failure, "this is no journal of a sweep",
                "its first record is a \"" + kind + "\"");
  const Time time = time_of(record);
  if (kind == "sweep") {
    apply_sweep(record);
  } else if (kind == "session") {
    if (session_ != Time{}) earlier_sessions_ += std::max(last_ - session_, nanoseconds{0});
    session_ = last_ = time;  // the clock may have been set back since the session before
    go_on();
  } else if (kind == "change") {
    spec_ = parse_sweep(record.at("document"), "the journal");
    if (spec_->algorithm != "auto") algorithm_ = spec_->algorithm;
  } else if (kind == "asked") {
    apply_asked(record);
  } else if (kind == "begun") {
    Trial& trial = trial_of(record);
    trial.until = number_at(record, "until");
    apply_begun(trial, string_at(record, {"job"}), static_cast<int>(int_at(record, {"rung"})),
                static_cast<int>(int_at(record, {"attempt"})));
  } else if (kind == "wave") {
    apply_wave(record);
  } else if (kind == "running") {
    Trial& trial = trial_of(record);
    trial.node = string_at(record, {"node"});
    trial.is_seen = true;
    if (!trial.began) trial.began = std::max(time, trial.asked);  // a server tells whole seconds
  } else if (kind == "waiting") {
    trial_of(record).is_seen = false;
  } else if (kind == "rung") {
    apply_rung(record);
  } else if (kind == "failed") {
    apply_failed(record);
  } else if (kind == "ended") {
    apply_ended(record);
  } else if (kind == "withdrawn") {
    Trial& trial = trial_of(record);
    take_use(trial, record);
    take_results(trial, record);
    trial.is_seen = false;
    trial.is_withdrawn = true;
    running_.erase(trial.number);
    withdrawn_.insert(trial.number);
  } else if (kind == "end") {
    end_ = string_at(record, {"reason"});
  }
  // A change comes before the session that it is for: nobody ran the sweep until then. When pods began, and
  // were taken away, the server's clock says.
  if (kind != "change" && kind != "running" && kind != "waiting") last_ = std::max(last_, time);
}

void SweepState::apply_sweep(const Json& record) {
  if (int_at(record, {"version"}) != 1)
    throw Error(ErrorCode::failure, "the journal is of a newer kml", "", "use the kml that wrote it");
  spec_ = parse_sweep(record.at("document"), "the journal");
  space_.emplace(spec_->parameters, spec_->constraints);
  algorithm_ = spec_->algorithm == "auto" ? choose_sampler(*space_, spec_->budget.trials) : spec_->algorithm;
  warm_start_ = observations_of(spec_->warm_start, *space_, spec_->objective);
  id_ = string_at(record, {"id"});
  target_ = record.value("target", Json());
  begun_ = time_of(record);
}

/// Whoever goes on may have mended what failed, and given more to those that were left behind.
void SweepState::go_on() {
  end_.clear();
  failed_on_.clear();
  for (const std::uint64_t number : std::exchange(left_, {})) {
    Trial& trial = trials_[number];
    --outcomes_[trial.outcome];
    trial.outcome.clear();
    trial.state = TrialState::paused;
    trial.value.reset();
    trial.ended.reset();
    std::erase(ended_, number);
    paused_.insert(number);
  }
}

void SweepState::apply_rung(const Json& record) {
  Trial& trial = trial_of(record);
  const double resource = number_at(record, "resource");
  const std::string decision = string_at(record, {"decision"});
  if (!record.contains("curve")) trial.curve.emplace_back(resource, number_at(record, "value"));
  take_results(trial, record);
  trial.judged = resource;
  trial.is_cut = decision == "stop";
  if (decision != "pause") return;
  trial.state = TrialState::paused;
  take_use(trial, record);
  running_.erase(trial.number);
  paused_.insert(trial.number);
  note_result(trial.node);
}

void SweepState::apply_failed(const Json& record) {
  Trial& trial = trial_of(record);
  take_use(trial, record);
  take_results(trial, record);
  trial.is_seen = false;
  if (!spec_->is_indexed) {  // there Kubernetes retries, in the same Job
    trial.job.clear();
    ++trial.attempt;
  }
  if (bool_at(record, {"disrupted"})) return;  // counts for nothing
  if (bool_at(record, {"lost"})) {
    ++trial.losses;
  } else {
    ++trial.failures;
    ++node_failures_[string_at(record, {"node"})];
  }
}

void SweepState::take_use(Trial& trial, const Json& record) {
  const double gpu_seconds = number_at(record, "gpuSeconds");
  trial.gpu_seconds += gpu_seconds;
  gpu_seconds_ += gpu_seconds;
}

void SweepState::note_result(const std::string& node) {
  failed_on_.clear();
  node_failures_.erase(node);
  good_nodes_.insert(node);
}

Trial& SweepState::trial_of(const Json& record) {
  const auto number = static_cast<size_t>(int_at(record, {"trial"}, -1));
  if (number >= trials_.size())
    throw Error(ErrorCode::failure, "the journal is damaged",
                "it tells of a trial that it did not ask: " + record.dump());
  return trials_[number];
}

void SweepState::apply_asked(const Json& record) {
  Trial trial;
  trial.number = trials_.size();
  if (int_at(record, {"trial"}, -1) != static_cast<long long>(trial.number))
    throw Error(ErrorCode::failure, "the journal is damaged", "a trial is missing before: " + record.dump());
  trial.values = record.at("values");
  trial.point = space_->point(trial.values);
  trial.asked = time_of(record);
  running_.insert(trial.number);
  trials_.push_back(std::move(trial));
}

void SweepState::apply_begun(Trial& trial, const std::string& job, int rung, int attempt) {
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

void SweepState::apply_wave(const Json& record) {
  Wave wave = wave_of(record);
  for (size_t i = 0; i < wave.trials.size(); ++i) {
    Trial& trial = trial_of({{"trial", wave.trials[i]}});
    apply_begun(trial, index_name(wave.job, i), 0, trial.job.empty() ? 0 : trial.attempt + 1);
  }
  waves_.push_back(std::move(wave));
}

void SweepState::apply_ended(const Json& record) {
  Trial& trial = trial_of(record);
  trial.outcome = string_at(record, {"outcome"});
  trial.state = state_of_outcome(trial.outcome);
  trial.cause = string_at(record, {"cause"});
  trial.node = string_at(record, {"node"}, trial.node);
  trial.ended = time_of(record);
  take_use(trial, record);
  take_results(trial, record);
  if (const auto value = record.find("value"); value != record.end()) trial.value = value->get<double>();
  if (paused_.contains(trial.number)) left_.insert(trial.number);
  ended_.push_back(trial.number);
  running_.erase(trial.number);
  paused_.erase(trial.number);
  withdrawn_.erase(trial.number);
  ++outcomes_[trial.outcome];
  if (trial.state != TrialState::failed)
    note_result(trial.node);
  else
    failed_on_.push_back(trial.node);
  if (trial.outcome == "failed") ++node_failures_[trial.node];
  const auto cost = [&](const Trial& each) { return spec_->objective.cost(*each.value); };
  if (trial.state == TrialState::complete && trial.value && (!best_ || cost(trial) < cost(trials_[*best_])))
    best_ = trial.number;
}

const Trial* SweepState::find(const std::string& job) const {
  const auto found = by_job_.find(job);
  return found == by_job_.end() ? nullptr : &trials_[found->second];
}

size_t SweepState::count(std::string_view outcome) const {
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

/// With the sweep's id: an earlier one of that name may have left checkpoints there.
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
  if (trial.value) seen.objective = spec_->objective.cost(*trial.value);
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
