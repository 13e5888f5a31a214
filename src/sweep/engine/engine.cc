#include "kml/sweep/engine/engine.h"

#include <chrono>
#include <utility>

#include "sweep/engine/early_stops.h"
#include "sweep/engine/end_reasons.h"
#include "sweep/engine/measurements.h"
#include "sweep/engine/next_trials.h"
#include "sweep/engine/sweep_decisions.h"
#include "sweep/engine/trial_ends.h"
#include "sweep/engine/trial_starts.h"

namespace kml::sweep {

/// The parts of an engine. Each part uses the parts before it.
struct Engine::Parts {
  Parts(const SweepState& state, SweepDecisions& decisions)
      : stops(stop_options(state.spec().stopping)),
        measurements(state, stops),
        starts(state, stops, decisions, measurements),
        ends(state, stops, decisions, measurements, starts),
        early_stops(state, stops, decisions, measurements, ends),
        next(state, stops, decisions, measurements, starts) {}

  const StopOptions stops;
  Measurements measurements;
  TrialStarts starts;
  TrialEnds ends;
  EarlyStops early_stops;
  NextTrials next;
};

Engine::Engine(Journal& journal, Runner& runner, const Clock& clock, Hooks hooks)
    : journal_(journal),
      runner_(runner),
      hooks_(std::move(hooks)),
      decisions_(journal, clock, [this](const Record& record) { state_.apply(record); }) {
  decisions_.replay();
  parts_ = std::make_unique<Parts>(state_, decisions_);
  if (hooks_.counts_restarts) parts_->ends.count_restarts();
}

Engine::~Engine() = default;

const Progress* Engine::progress(std::uint64_t trial) const {
  return parts_->measurements.progress(trial);
}

void Engine::run(const std::string& owner) {
  decisions_.decide(record::Session{owner, journal_.last_sign_of_life()});
  parts_->ends.set_begun(state_.sessions().last);
  engine::run_to_end(*this, decisions_, runner_);
}

void Engine::reattach() {
  parts_->starts.reattach();
  for (const std::uint64_t number : state_.lists().running)
    if (const Trial& trial = state_.trials()[number]; trial.is_cut)
      parts_->ends.end_early(trial, Outcome::pruned);
}

void Engine::plan() {
  // Checked even after all trials have started, because the last trials may have to be stopped.
  if (!is_cancelled_ && (!ending_ || !state_.lists().running.empty())) consider_end();
  begin_trials();
  parts_->starts.begin_wave();
}

void Engine::consider_end() {
  const StopWish wish = hooks_.stop_wish();
  if (has_reached_goal(state_))
    end_all({.reason = "the goal is reached"});
  else if (wish == StopWish::now)
    end_all(record::End::of(record::End::Kind::stopped));
  else if (std::string many = too_many_failures(state_); !many.empty())
    end_all({.reason = std::move(many)});
  else if (std::string all = reason_to_hold(state_, parts_->measurements);
           !all.empty() && state_.spec().is_indexed)
    end_all({.reason = std::move(all)});  // all trials have already started
  else if (wish == StopWish::drain)
    ending_ = record::End::of(record::End::Kind::stopped);
}

void Engine::begin_trials() {
  while (!ending_ && parts_->next.has_turn()) {
    if (std::string all = reason_to_hold(state_, parts_->measurements); !all.empty()) {
      if (state_.lists().running.empty()) ending_ = record::End{.reason = std::move(all)};
      return;
    }
    if (std::string used = used_up(state_, decisions_.now()); !used.empty())
      ending_ = record::End{.reason = std::move(used)};
    else if (!parts_->next.begin()) {
      ending_ = parts_->next.end();
      return;
    }
  }
}

void Engine::tell() {
  hooks_.on_step(*this);
}

std::optional<std::chrono::milliseconds> Engine::longest_wait() const {
  constexpr std::chrono::milliseconds kLongestWait{1'000};
  if (state_.lists().running.empty() && ending_) return {};
  return kLongestWait;
}

void Engine::take(const TrialReport& report) {
  const Trial* trial = state_.find(report.job);
  if (!trial || trial->has_ended() || trial->job != report.job) return;
  waits_.erase(trial->number);
  switch (report.kind) {
    case TrialReport::Kind::waiting:
      if (!report.cause.empty()) waits_[trial->number] = report.cause;
      if (trial->is_seen) decisions_.decide(Record{report.time, record::Waiting{trial->number}});
      break;
    case TrialReport::Kind::running:
      if (report.begun_anew && state_.spec().checkpoint_folder.empty())
        parts_->measurements.forget(trial->number);
      if (!trial->is_seen)
        decisions_.decide(Record{report.time, record::Running{trial->number, report.node}});
      break;
    case TrialReport::Kind::metric: parts_->early_stops.take_metric(*trial, report); break;
    case TrialReport::Kind::ended: parts_->ends.take(*trial, report); break;
    case TrialReport::Kind::retried: parts_->ends.take_retry(*trial, report); break;
    case TrialReport::Kind::gone: parts_->ends.take_loss(*trial, "its job was deleted", report); break;
    case TrialReport::Kind::refused:
      parts_->ends.end_trial(*trial, Outcome::refused, report.cause, report);
      break;
  }
}

/// Withdraws running trials, so that a later engine can continue them.
void Engine::end_all(record::End end) {
  ending_ = std::move(end);
  is_cancelled_ = true;
  for (const std::uint64_t without_job : parts_->starts.withdraw_wave())
    parts_->ends.withdraw(state_.trials()[without_job]);
  for (const std::uint64_t number : state_.lists().running)
    parts_->ends.end_early(state_.trials()[number], std::nullopt);
}

void Engine::end() {
  if (ending_->kind != record::End::Kind::stopped) parts_->ends.end_paused();
  decisions_.decide(*ending_);
}

}  // namespace kml::sweep
