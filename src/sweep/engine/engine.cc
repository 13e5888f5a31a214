// The sweep's loop: plan, act, wait for reports. A decision is added to the journal and applied to the state
// in one step, and act() commits the journal before it starts or stops anything. After a crash, the next
// engine therefore finds in the journal everything that may have begun, and reattach() asks the runner about
// it.

#include "kml/sweep/engine/engine.h"

#include <algorithm>

#include "kml/base/text.h"
#include "kml/sweep/spec/trial_template.h"
#include "sweep/engine/proposals.h"

namespace kml::sweep {

namespace {

constexpr std::chrono::milliseconds kLongestWait{1'000};
/// The maximum number of jobs created per second, because other clients use the API server too.
constexpr int kMostBegunInASecond = 100;
/// If all of the first trials fail, this is a mistake rather than bad luck.
constexpr size_t kFirstFailures = 3;
constexpr int kFailuresInARow = 5;

}  // namespace

Engine::Engine(Journal& journal, Runner& runner, const Clock& clock, Hooks hooks)
    : journal_(journal), runner_(runner), clock_(clock), hooks_(std::move(hooks)) {
  journal_.read([this](const Record& record) { state_.apply(record); });
  proposals_ = std::make_unique<Proposals>(state_);
  stops_ = stop_options(state_.spec().stopping);
  to_begin_again_.assign(state_.withdrawn().rbegin(), state_.withdrawn().rend());
}

Engine::~Engine() = default;

const Progress* Engine::progress(std::uint64_t trial) const {
  const auto found = progress_.find(trial);
  return found == progress_.end() ? nullptr : &found->second;
}

/// Only records the decision. act() commits the record before anything is done.
void Engine::decide(const Record& record) {
  journal_.add(record);
  state_.apply(record);
}

void Engine::decide(decltype(Record::what) what) {
  decide(Record{clock_.now(), std::move(what)});
}

/// For the end of a job. If the job ended while no engine ran, its end is earlier than the record.
void Engine::decide(decltype(Record::what) what, const TrialReport& report) {
  Record record{clock_.now(), std::move(what)};
  if (report.job_ended && *report.job_ended < begun_) record.job_ended = report.job_ended;
  decide(record);
}

void Engine::run(const std::string& owner) {
  decide(record::Session{owner, journal_.last_sign_of_life()});
  begun_ = state_.last_time();
  reattach();
  while (true) {
    plan();
    act();
    hooks_.on_step(*this);
    if (state_.running().empty() && !ends_because_.empty()) break;
    for (const TrialReport& report : runner_.wait(kLongestWait)) take(report);
  }
  if (ends_because_ != "stopped") end_paused();
  decide(record::End{ends_because_});
  journal_.commit();
  hooks_.on_step(*this);
}

/// Continues what another engine began. The runner finds the existing jobs, and creates those that the other
/// engine recorded but did not create.
void Engine::reattach() {
  const std::vector<Wave>& waves = state_.waves();
  for (size_t i = 0; i < waves.size(); ++i) waves_to_start_.push_back(i);
  for (const std::uint64_t number : state_.running()) {
    const Trial& trial = state_.trials()[number];
    if (trial.job.empty())
      begin(trial, trial.rung, trial.attempt, trial.until > 0 ? trial.until : first_grant(trial));
    else if (!state_.spec().is_indexed)
      to_start_.push_back(job_of(trial));
    if (trial.is_cut) end_early(trial, Outcome::pruned);
  }
}

bool Engine::has_reached_goal() const {
  const Objective& objective = state_.spec().objective;
  return state_.best() && objective.goal &&
         objective.cost(*state_.trials()[*state_.best()].value) <= objective.cost(*objective.goal);
}

/// Why the sweep must end, if more trials failed than it allows; otherwise empty.
std::string Engine::too_many_failures() const {
  const SweepSpec& spec = state_.spec();
  const size_t failed = state_.ended().size() - state_.count(Outcome::complete) -
                        state_.count(Outcome::pruned) - state_.count(Outcome::diverged);
  if (spec.max_failed && failed > static_cast<size_t>(*spec.max_failed))
    return "more than " + std::to_string(*spec.max_failed) + " trials failed";
  return {};
}

/// Why no more trials begin now: all seem to fail. Trials that are running continue, and may show that not
/// all do.
std::string Engine::reason_to_hold() const {
  if (state_.spec().max_failed) return {};  // the user decided
  const int failures = state_.failures_in_a_row();
  const size_t ended = state_.ended().size();
  const bool all_fail =
      failures >= kFailuresInARow || (ended >= kFirstFailures && failures == static_cast<int>(ended));
  const auto reports = [&](std::uint64_t trial) {
    const Progress* progress = this->progress(trial);
    return progress && progress->has_value();
  };
  const auto& running = state_.running();
  if (!all_fail || state_.may_be_a_bad_node() || std::any_of(running.begin(), running.end(), reports))
    return {};
  std::string cause;
  for (const std::uint64_t trial : state_.ended())
    if (state_.trials()[trial].state == TrialState::failed) cause = state_.trials()[trial].cause;
  return std::to_string(failures) + " trials failed one after another: " + cause.substr(0, cause.find('\n'));
}

bool Engine::take_turn() {
  if (state_.spec().is_indexed) return true;
  const Time now = clock_.now();
  if (now < second_ || now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    begun_in_second_ = 0;
  }
  return begun_in_second_ < kMostBegunInASecond &&
         state_.running().size() < static_cast<size_t>(state_.spec().parallel) && proposals_->is_ready();
}

void Engine::plan() {
  // Also checked after all trials have begun, because the last ones may have to be stopped.
  if (!is_cancelled_ && (ends_because_.empty() || !state_.running().empty())) {
    const StopWish wish = hooks_.stop_wish();
    if (has_reached_goal())
      end_all("the goal is reached");
    else if (wish == StopWish::now)
      end_all("stopped");
    else if (const std::string reason = too_many_failures(); !reason.empty())
      end_all(reason);
    else if (const std::string all = reason_to_hold(); !all.empty() && state_.spec().is_indexed)
      end_all(all);  // all of them have already begun
    else if (wish == StopWish::drain)
      ends_because_ = "stopped";
  }
  while (ends_because_.empty() && take_turn()) {
    if (const std::string reason = reason_to_hold(); !reason.empty()) {
      if (state_.running().empty()) ends_because_ = reason;
      break;
    }
    ends_because_ = used_up();
    if (!ends_because_.empty() || begin_again() || promote()) continue;
    const bool all_asked = is_exhausted_ || state_.trials().size() >= state_.spec().budget.trials;
    if (!all_asked)
      ask();
    else if (state_.spec().stopping.promote && !state_.running().empty())
      break;  // their results may allow promotions
    else if (!promote_leader())
      ends_because_ = is_exhausted_
                          ? "all of the space has been tried"
                          : "all " + std::to_string(state_.spec().budget.trials) + " trials are done";
  }
}

/// Which budget is used up, so that nothing more may begin; empty if none is.
std::string Engine::used_up() const {
  const Budget& budget = state_.spec().budget;
  if (budget.wall_time && state_.wall_time(clock_.now()) >= *budget.wall_time) return "the time is used up";
  if (budget.gpu_hours && (state_.gpu_seconds() >= *budget.gpu_hours * 3600 ||
                           gpu_seconds_with_another() > *budget.gpu_hours * 3600))
    return "the GPU hours are used up";
  return {};
}

/// The GPU seconds used once all running trials and one more have ended, if each takes the average so far.
double Engine::gpu_seconds_with_another() const {
  double used = 0, users = 0;
  for (const Trial& trial : state_.trials())
    if (trial.has_ended() && trial.gpu_seconds > 0) used += trial.gpu_seconds, ++users;
  if (users == 0) return 0;
  return state_.gpu_seconds() + used / users * static_cast<double>(state_.running().size() + 1);
}

void Engine::ask() {
  const std::optional<Proposals::Proposal> proposal = proposals_->next();
  if (!proposal) {
    is_exhausted_ = true;
    return;
  }
  decide(
      record::Asked{state_.trials().size(), state_.space().assignment(proposal->point), proposal->lineage});
  begin(state_.trials().back(), 0, 0, first_grant(state_.trials().back()));
}

/// Begins a trial again that was withdrawn when an earlier engine was stopped.
bool Engine::begin_again() {
  if (to_begin_again_.empty()) return false;
  const Trial& trial = state_.trials()[to_begin_again_.back()];
  to_begin_again_.pop_back();
  begin(trial, trial.rung, trial.attempt + 1, trial.until);
  return true;
}

/// Promotes the best trial of a rung, if one is due.
bool Engine::promote() {
  if (!state_.spec().stopping.promote) return false;
  const std::optional<Promotion> promotion = next_promotion(stops_, all_observations());
  if (!promotion) return false;
  const Trial& trial = state_.trials()[promotion->trial];
  begin(trial, trial.rung + 1, 0, promotion->resource);
  return true;
}

/// After the last trial: if no trial has run to its end, which can happen with few trials, promotes the one
/// that came farthest, or the best of several.
bool Engine::promote_leader() {
  if (state_.count(Outcome::complete) > 0) return false;
  const Trial* leader = nullptr;
  const auto key = [&](const Trial& trial) {
    return std::pair(-trial.until, state_.observation(trial).curve.back().second);
  };
  for (const std::uint64_t number : state_.paused()) {
    const Trial& trial = state_.trials()[number];
    if (!trial.curve.empty() && (!leader || key(trial) < key(*leader))) leader = &trial;
  }
  if (!leader) return false;
  const std::vector<double> levels = rungs(stops_, bracket_of(stops_, leader->number));
  const auto next = std::upper_bound(levels.begin(), levels.end(), leader->until);
  begin(*leader, leader->rung + 1, 0, next == levels.end() ? stops_.max : *next);
  return true;
}

/// The resource up to which a trial's first job runs; 0: to its own end.
double Engine::first_grant(const Trial& trial) const {
  if (!state_.spec().stopping.promote) return 0;
  return rungs(stops_, bracket_of(stops_, trial.number)).front();
}

void Engine::begin(const Trial& trial, int rung, int attempt, double until) {
  if (state_.spec().is_indexed) return next_wave_.push_back(trial.number);
  const std::string name = job_name(state_.spec().name, trial.number, rung, attempt);
  decide(record::Begun{trial.number, name, rung, attempt, until});
  to_start_.push_back(job_of(trial));
  ++begun_in_second_;
  progress_.erase(trial.number);
}

TrialJob Engine::job_of(const Trial& trial) const {
  TrialJob job{trial.job, trial.number, trial.rung, trial.attempt, trial.values, {}, {}, state_.bad_nodes()};
  job.must_avoid = state_.has_good_node();
  if (trial.until > 0) job.until = trial.until;
  job.checkpoint = state_.checkpoint_folder(std::to_string(trial.number));
  if (const auto& lineage = trial.lineage)
    job.parent = lineage->parent ? state_.checkpoint_folder(std::to_string(*lineage->parent)) : "";
  return job;
}

/// Commits the decisions and carries them out. Mere observations need no commit, because they can be made
/// again.
void Engine::act() {
  if (!next_wave_.empty()) begin_wave();
  journal_.flush();
  journal_.show_life(clock_);
  if (waves_to_start_.empty() && to_start_.empty() && to_stop_.empty()) return;
  journal_.commit();
  for (const size_t wave : std::exchange(waves_to_start_, {}))
    if (const std::vector<TrialJob> jobs = jobs_of(state_.waves()[wave]); !jobs.empty()) runner_.start(jobs);
  if (!to_start_.empty()) runner_.start(std::exchange(to_start_, {}));
  for (const std::string& job : std::exchange(to_stop_, {})) runner_.stop(job);
}

/// Ends the paused trials, because no further promotion follows. A later engine that may begin more trials
/// resumes them.
void Engine::end_paused() {
  const std::set<std::uint64_t> paused = state_.paused();
  for (const std::uint64_t number : paused) {
    Trial ended = state_.trials()[number];
    ended.gpu_seconds = 0;
    ended.value = value_of(ended);
    decide(this->ended(ended, Outcome::pruned));
  }
}

/// Withdraws running trials, so that another engine may continue them.
void Engine::end_all(const std::string& reason) {
  ends_because_ = reason;
  is_cancelled_ = true;
  for (const std::uint64_t without_job : std::exchange(next_wave_, {}))
    take_wanted_end(state_.trials()[without_job], std::nullopt, {});
  for (const std::uint64_t number : state_.running()) end_early(state_.trials()[number], std::nullopt);
}

/// Stops the trial's job. If this was already decided, the first outcome counts.
void Engine::end_early(const Trial& trial, WantedEnd end) {
  if (ending_.try_emplace(trial.number, end).second) to_stop_.push_back(trial.job);
}

}  // namespace kml::sweep
