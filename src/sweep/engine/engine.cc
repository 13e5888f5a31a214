#include "kml/sweep/engine.h"

#include <strings.h>

#include <algorithm>
#include <cmath>

#include "kml/core/text.h"
#include "kml/sweep/trial_template.h"
#include "sweep/engine/proposals.h"
#include "sweep/engine/stop_options.h"

namespace kml::sweep {

namespace {

constexpr std::chrono::milliseconds kLongestWait{1'000};
/// Jobs that are made in a second: an API server has others to serve too.
constexpr int kMostBegunInASecond = 100;
constexpr int kMostLosses = 3;
/// A sweep whose trials all fail is a mistake, not bad luck.
constexpr size_t kFirstFailures = 3;
constexpr int kFailuresInARow = 5;

/// "accuracy was never reported; it reported acc, loss", with the last lines of the log.
std::string no_metric(const Objective& objective, const Progress* progress, const TrialReport& report) {
  std::string text = "it ended without " + objective.metric;
  if (progress && !progress->names().empty()) {
    const std::vector<std::string> names(progress->names().begin(), progress->names().end());
    const bool is_case = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return ::strcasecmp(name.c_str(), objective.metric.c_str()) == 0;
    });
    const std::string hint =
        is_case ? "names are taken as they are spelled" : did_you_mean(objective.metric, names);
    text += "; it reported " + join(names, ", ") + (hint.empty() ? "" : ": " + hint);
  }
  if (!report.last_lines.empty()) text += "\nits last lines:\n" + join(report.last_lines, "\n");
  return text;
}

/// "exit code 1: RuntimeError: out of luck": with the last line that it wrote.
std::string failure(const TrialReport& report) {
  constexpr size_t kLongest = 200;
  const auto& lines = report.last_lines;
  const auto is_blank = [](const std::string& line) {
    return line.find_first_not_of(" \t\r") == std::string::npos;
  };
  const auto last = std::find_if_not(lines.rbegin(), lines.rend(), is_blank);
  return last == lines.rend() ? report.cause : report.cause + ": " + last->substr(0, kLongest);
}

/// What a trial's last job reported, after what earlier ones did.
std::vector<std::pair<double, double>> joined(std::vector<std::pair<double, double>> earlier,
                                              const std::vector<std::pair<double, double>>& last) {
  if (!last.empty())
    std::erase_if(earlier, [&](const auto& point) { return point.first >= last.front().first; });
  earlier.insert(earlier.end(), last.begin(), last.end());
  return earlier;
}

}  // namespace

Engine::Engine(Journal& journal, Runner& runner, const Clock& clock, Hooks hooks)
    : journal_(journal), runner_(runner), clock_(clock), hooks_(std::move(hooks)) {
  journal_.read([this](const Json& record) { state_.apply(record); });
  proposals_ = std::make_unique<Proposals>(state_);
  stops_ = stop_options(state_.spec().stopping);
  to_begin_again_.assign(state_.withdrawn().rbegin(), state_.withdrawn().rend());
}

Engine::~Engine() = default;

const Progress* Engine::progress(std::uint64_t trial) const {
  const auto found = progress_.find(trial);
  return found == progress_.end() ? nullptr : &found->second;
}

/// Nothing is done before the record of it is safe: act() commits.
void Engine::decide(const Json& record) {
  journal_.add(record);
  state_.apply(record);
}

void Engine::run(const std::string& owner) {
  decide(session_record(owner, clock_.now()));
  reattach();
  while (true) {
    plan();
    act();
    hooks_.on_step(*this);
    if (state_.running().empty() && !ends_because_.empty()) break;
    for (const TrialReport& report : runner_.wait(kLongestWait)) take(report);
  }
  if (ends_because_ != "stopped") end_paused();
  decide(end_record(ends_because_, clock_.now()));
  journal_.commit();
  hooks_.on_step(*this);
}

/// What another engine began: the runner finds the jobs, and makes those that it died before making.
void Engine::reattach() {
  const std::vector<Wave>& waves = state_.waves();
  for (size_t i = 0; i < waves.size(); ++i) waves_to_start_.push_back(i);
  for (const std::uint64_t number : state_.running()) {
    const Trial& trial = state_.trials()[number];
    if (trial.job.empty())
      begin(trial, 0, 0, first_grant(trial));
    else if (!state_.spec().is_indexed)
      to_start_.push_back(job_of(trial));
  }
}

bool Engine::has_reached_goal() const {
  const Objective& objective = state_.spec().objective;
  return state_.best() && objective.goal &&
         objective.cost(*state_.trials()[*state_.best()].value) <= objective.cost(*objective.goal);
}

/// More trials failed than the sweep may have; empty where not.
std::string Engine::too_many_failures() const {
  const SweepSpec& spec = state_.spec();
  const size_t ended = state_.ended().size() - state_.count("cancelled");
  const size_t failed = ended - state_.count("complete") - state_.count("pruned") - state_.count("diverged");
  if (spec.max_failed && failed > static_cast<size_t>(*spec.max_failed))
    return "more than " + std::to_string(*spec.max_failed) + " trials failed";
  return {};
}

/// Why no more trials begin for now: they all seem to fail. Those that run go on, and may show that it can be
/// done.
std::string Engine::reason_to_hold() const {
  const int failures = state_.failures_in_a_row();
  const size_t ended = state_.ended().size() - state_.count("cancelled");
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
    if (state_.trials()[trial].state == TrialState::failed && state_.trials()[trial].outcome != "cancelled")
      cause = state_.trials()[trial].cause;
  return std::to_string(failures) + " trials failed one after another: " + cause.substr(0, cause.find('\n'));
}

bool Engine::may_ask() {
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
  // Also once all trials have begun: the last ones may be ended.
  if (!is_cancelled_ && (ends_because_.empty() || !state_.running().empty())) {
    const StopWish wish = hooks_.stop_wish();
    if (has_reached_goal())
      end_all("the goal is reached", "cancelled");
    else if (wish == StopWish::now)
      end_all("stopped", "withdrawn");
    else if (const std::string reason = too_many_failures(); !reason.empty())
      end_all(reason, "withdrawn");
    else if (const std::string all = reason_to_hold(); !all.empty() && state_.spec().is_indexed)
      end_all(all, "withdrawn");  // they have begun, all of them
    else if (wish == StopWish::drain)
      ends_because_ = "stopped";
  }
  while (ends_because_.empty() && may_ask()) {
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
      break;  // what they come to may let others go on
    else if (!promote_leader())
      ends_because_ = is_exhausted_
                          ? "all of the space has been tried"
                          : "all " + std::to_string(state_.spec().budget.trials) + " trials are done";
  }
}

/// Why nothing more may begin, though there would be something; empty where it may.
std::string Engine::used_up() const {
  const Budget& budget = state_.spec().budget;
  if (budget.wall_time && state_.wall_time(clock_.now()) >= *budget.wall_time) return "the time is used up";
  if (budget.gpu_hours && (state_.gpu_seconds() >= *budget.gpu_hours * 3600 ||
                           gpu_seconds_with_another() > *budget.gpu_hours * 3600))
    return "the GPU hours are used up";
  return {};
}

/// What will be used when those that run have ended, and another one, if they take what others took.
double Engine::gpu_seconds_with_another() const {
  double used = 0, users = 0;
  for (const Trial& trial : state_.trials())
    if (trial.has_ended() && trial.gpu_seconds > 0) used += trial.gpu_seconds, ++users;
  if (users == 0) return 0;
  return state_.gpu_seconds() + used / users * static_cast<double>(state_.running().size() + 1);
}

void Engine::ask() {
  const std::optional<Point> point = proposals_->next();
  if (!point) {
    is_exhausted_ = true;
    return;
  }
  decide(asked_record(state_.trials().size(), state_.space().assignment(*point), clock_.now()));
  begin(state_.trials().back(), 0, 0, first_grant(state_.trials().back()));
}

/// One that an earlier engine withdrew when it was stopped.
bool Engine::begin_again() {
  if (to_begin_again_.empty()) return false;
  const Trial& trial = state_.trials()[to_begin_again_.back()];
  to_begin_again_.pop_back();
  begin(trial, trial.rung, trial.attempt + 1, trial.until);
  return true;
}

/// Lets the best of a rung go on, where one may.
bool Engine::promote() {
  if (!state_.spec().stopping.promote) return false;
  const std::optional<Promotion> promotion = next_promotion(stops_, all_observations());
  if (!promotion) return false;
  const Trial& trial = state_.trials()[promotion->trial];
  begin(trial, trial.rung + 1, 0, promotion->resource);
  return true;
}

/// After the last trial: where none was let go on to the end, as with few trials, the one that came farthest
/// is, the best of them.
bool Engine::promote_leader() {
  if (state_.count("complete") > 0) return false;
  const Trial* leader = nullptr;
  const auto key = [&](const Trial& trial) {
    return std::pair(-trial.until, state_.spec().objective.cost(trial.curve.back().second));
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

/// How far a trial's first job goes; 0: to its own end.
double Engine::first_grant(const Trial& trial) const {
  if (!state_.spec().stopping.promote) return 0;
  return rungs(stops_, bracket_of(stops_, trial.number)).front();
}

void Engine::begin(const Trial& trial, int rung, int attempt, double until) {
  if (state_.spec().is_indexed) return next_wave_.push_back(trial.number);
  const bool goes_on_from_checkpoint = !state_.spec().checkpoint_folder.empty() && rung == trial.rung;
  const std::string name = job_name(state_.spec().name, trial.number, rung, attempt);
  decide(begun_record(trial, name, rung, attempt, until, clock_.now()));
  to_start_.push_back(job_of(trial));
  ++begun_in_second_;
  if (!goes_on_from_checkpoint) progress_.erase(trial.number);
}

TrialJob Engine::job_of(const Trial& trial) const {
  TrialJob job{trial.job, trial.number, trial.rung, trial.attempt, trial.values, {}, {}, state_.bad_nodes()};
  job.must_avoid = state_.has_good_node();
  if (trial.until > 0) job.until = trial.until;
  job.checkpoint = state_.checkpoint_folder(std::to_string(trial.number));
  return job;
}

/// Commits what was decided, and does it. What was only seen can be seen again: it need not be safe at once.
void Engine::act() {
  if (!next_wave_.empty()) begin_wave();
  journal_.flush();
  if (waves_to_start_.empty() && to_start_.empty() && to_stop_.empty()) return;
  journal_.commit();
  for (const size_t wave : std::exchange(waves_to_start_, {}))
    if (const std::vector<TrialJob> jobs = jobs_of(state_.waves()[wave]); !jobs.empty()) runner_.start(jobs);
  if (!to_start_.empty()) runner_.start(std::exchange(to_start_, {}));
  for (const std::string& job : std::exchange(to_stop_, {})) runner_.stop(job);
}

void Engine::take(const TrialReport& report) {
  const Trial* trial = state_.find(report.job);
  if (!trial || trial->has_ended() || trial->job != report.job) return;
  waits_.erase(trial->number);
  switch (report.kind) {
    case TrialReport::Kind::waiting:
      if (!report.cause.empty()) waits_[trial->number] = report.cause;
      if (trial->is_seen) decide(waiting_record(*trial, report.time));
      break;
    case TrialReport::Kind::running:
      if (!trial->is_seen) decide(running_record(*trial, report.node, report.time));
      break;
    case TrialReport::Kind::metric: take_metric(*trial, report); break;
    case TrialReport::Kind::ended: take_end(*trial, report); break;
    case TrialReport::Kind::retried: take_retry(*trial, report); break;
    case TrialReport::Kind::gone: take_loss(*trial, report); break;
    case TrialReport::Kind::refused: end_trial(*trial, "refused", report.cause, report); break;
  }
}

void Engine::take_metric(const Trial& trial, const TrialReport& report) {
  Progress& progress = progress_[trial.number];
  const double before = progress.has_value() ? progress.last_step() : 0;
  progress.add(state_.spec().objective, report.metric, report.step, report.value);
  const bool counts = report.metric == state_.spec().objective.metric && report.step > before;
  if (counts && stops_.rule != StopRule::none && !state_.spec().stopping.promote)
    consider_stop(trial, before, report.step);
}

/// Where the trial has just passed a rung (ASHA), or anywhere (median).
void Engine::consider_stop(const Trial& trial, double before, double resource) {
  if (ending_.contains(trial.number)) return;
  if (stops_.rule == StopRule::asha) {
    const std::vector<double> levels = rungs(stops_, bracket_of(stops_, trial.number));
    const auto passed = [&](double rung) { return before < rung && rung <= resource && rung < stops_.max; };
    if (std::none_of(levels.begin(), levels.end(), passed)) return;
  }
  const bool stops = is_to_stop(stops_, observation(trial), resource, all_observations());
  const double value = progress_[trial.number].all().at(resource);
  const bool is_known = !trial.curve.empty() && trial.curve.back().first >= resource;  // the log is read anew
  if (!is_known && std::isfinite(value) && (stops || stops_.rule == StopRule::asha))
    decide(rung_record(trial, resource, value, stops ? "stop" : "go", 0, clock_.now()));
  if (!stops) return;
  ending_[trial.number] = std::isfinite(value) ? "pruned" : "diverged";
  to_stop_.push_back(trial.job);
}

/// With what a running trial has reported since.
Observation Engine::observation(const Trial& trial) const {
  Observation seen = state_.observation(trial);
  const Progress* progress = this->progress(trial.number);
  if (!progress) return seen;
  for (const auto& [resource, value] : progress->all())
    if (seen.curve.empty() || resource > seen.curve.back().first)
      seen.curve.emplace_back(resource, state_.spec().objective.cost(value));
  return seen;
}

std::vector<Observation> Engine::all_observations() const {
  std::vector<Observation> all;
  for (const Trial& trial : state_.trials()) all.push_back(observation(trial));
  return all;
}

void Engine::take_end(const Trial& trial, const TrialReport& report) {
  if (const auto wanted = ending_.find(trial.number); wanted != ending_.end()) {
    const bool was_faster = wanted->second == "withdrawn" && report.succeeded;
    if (!was_faster) return take_wanted_end(trial, report);
    ending_.erase(wanted);
  }
  if (report.out_of_memory) return end_trial(trial, "out of memory", report.cause, report);
  if (report.is_disrupted && !state_.spec().is_indexed) {
    decide(disrupted_record(trial, report.cause, report.node, report.gpu_seconds, clock_.now()));
    return begin(trial, trial.rung, trial.attempt + 1, trial.until);
  }
  if (!report.succeeded) {
    if (state_.spec().is_indexed || trial.failures >= state_.spec().retries)
      return end_trial(trial, "failed", failure(report), report);
    decide(failed_record(trial, failure(report), report.node, report.gpu_seconds, false, clock_.now()));
    return begin(trial, trial.rung, trial.attempt + 1, trial.until);
  }
  const Progress* progress = this->progress(trial.number);
  if (!progress || !progress->has_value())
    return end_trial(trial, "no metric", no_metric(state_.spec().objective, progress, report), report);
  const double value = progress->value(state_.spec().objective);
  if (!std::isfinite(value)) return end_trial(trial, "diverged", "", report);
  if (trial.until > 0 && trial.until < stops_.max)
    return decide(rung_record(trial, trial.until, value, "pause", report.gpu_seconds, clock_.now()));
  end_trial(trial, "complete", "", report);
}

/// One that was told to end. Of a sweep that is stopped it is still to do.
void Engine::take_wanted_end(const Trial& trial, const TrialReport& report) {
  const std::string outcome = ending_.at(trial.number);
  if (outcome != "withdrawn") return end_trial(trial, outcome, ends_because_, report);
  ending_.erase(trial.number);
  progress_.erase(trial.number);
  decide(withdrawn_record(trial, report.gpu_seconds, clock_.now()));
}

/// Somebody deleted the job: made again, with the same parameters.
void Engine::take_loss(const Trial& trial, const TrialReport& report) {
  if (ending_.contains(trial.number)) return take_wanted_end(trial, report);
  if (trial.losses >= kMostLosses) return end_trial(trial, "lost", "its jobs were deleted", report);
  decide(failed_record(trial, "its job was deleted", report.node, report.gpu_seconds, true, clock_.now()));
  begin(trial, trial.rung, trial.attempt + 1, trial.until);
}

void Engine::end_trial(const Trial& trial, std::string outcome, std::string cause,
                       const TrialReport& report) {
  Trial ended = trial;
  ended.outcome = std::move(outcome);
  ended.cause = std::move(cause);
  ended.gpu_seconds = report.gpu_seconds;
  if (!report.node.empty()) ended.node = report.node;
  if (const Progress* progress = this->progress(trial.number)) {
    if (progress->has_value()) ended.value = progress->value(state_.spec().objective);
    ended.curve = joined(trial.curve, progress->curve());
    ended.metrics = progress->metrics();
  }
  progress_.erase(trial.number);
  ending_.erase(trial.number);
  decide(ended_record(ended, clock_.now()));
}

/// Nobody promotes them any more.
void Engine::end_paused() {
  const std::set<std::uint64_t> paused = state_.paused();
  for (const std::uint64_t number : paused) {
    const Trial& trial = state_.trials()[number];
    Trial ended = trial;
    ended.outcome = "pruned";
    ended.gpu_seconds = 0;
    if (!trial.curve.empty()) ended.value = trial.curve.back().second;
    decide(ended_record(ended, clock_.now()));
  }
}

/// `outcome` is "withdrawn" where another engine may go on.
void Engine::end_all(const std::string& reason, const std::string& outcome) {
  ends_because_ = reason;
  is_cancelled_ = true;
  for (const std::uint64_t number : state_.running()) {
    ending_[number] = outcome;
    to_stop_.push_back(state_.trials()[number].job);
  }
}

}  // namespace kml::sweep
