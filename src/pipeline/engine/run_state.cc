#include "kml/pipeline/engine/run_state.h"

#include <algorithm>
#include <type_traits>

#include "kml/base/word_table.h"

namespace kml::pipeline {

namespace {

constexpr std::pair<Phase, std::string_view> kPhaseNames[] = {
    {Phase::waiting, "waiting"},     {Phase::running, "running"}, {Phase::cached, "cached"},
    {Phase::done, "done"},           {Phase::skipped, "skipped"}, {Phase::failed, "failed"},
    {Phase::cancelled, "cancelled"},
};

void apply_to(StepState& step, const record::Hit& what, Time time) {
  step.phase = Phase::cached;
  step.key = what.key;
  step.outputs = what.outputs;
  step.from = what.from;
  step.ran_because.clear();
  step.cause = what.cause;
  step.ended = time;
}

void apply_to(StepState& step, const record::Begun& what, Time time) {
  step.phase = Phase::running;
  step.attempt = what.attempt;
  ++step.jobs;
  step.job = what.job;
  step.key = what.key;
  step.parts = what.parts;
  step.inputs = what.inputs;
  step.cause = step.ran_because = what.cause;
  step.is_seen = false;
  step.began = time;
}

void apply_to(StepState& step, const record::Running& /*what*/, Time /*time*/) {
  step.is_seen = true;
  step.cause.clear();
}

void apply_to(StepState& step, const record::Items& what, Time time) {
  step.phase = Phase::done;
  step.items = what.items;
  step.ended = time;
}

void apply_to(StepState& step, const record::Lost& what, Time /*time*/) {
  step.phase = Phase::waiting;
  step.attempt += step.job.empty() ? 0 : 1;
  step.outputs = Json::object();
  step.cause = what.cause;
  ++step.lost;
}

void apply_to(StepState& step, const record::Wait& what, Time /*time*/) {
  step.is_seen = false;
  step.cause = what.cause;
}

void apply_to(StepState& step, const record::Again& what, Time time) {
  step.phase = Phase::waiting;
  ++step.attempt;
  step.failures += what.is_lost ? 0 : 1;
  step.cause = what.cause;
  step.not_before = what.until.value_or(time);
}

void apply_to(StepState& step, const record::Ended& what, Time time) {
  using How = record::Ended::How;
  step.phase = what.how == How::done        ? Phase::done
               : what.how == How::cancelled ? Phase::cancelled
                                            : Phase::failed;
  if (what.outputs) step.outputs = *what.outputs;
  step.cause = what.cause;
  step.image_id = what.image_id;
  step.lock = what.lock;
  // by the server's clock, which may be behind
  step.ended = what.job_ended ? std::max(*what.job_ended, step.began.value_or(Time{})) : time;
}

void apply_to(StepState& step, const record::Skipped& what, Time time) {
  step.phase = Phase::skipped;
  step.cause = what.cause;
  step.ended = time;
}

}  // namespace

std::string_view name_of(Phase phase) {
  return word_for(kPhaseNames, phase);
}

const StepState& RunState::step(const std::string& name) const {
  static const StepState kNew;
  const auto found = steps_.find(name);
  return found == steps_.end() ? kNew : found->second;
}

std::string RunState::first_failure() const {
  for (const auto& [name, step] : steps_)
    if (step.phase == Phase::failed) return "step " + name + ": " + step.cause;
  return {};
}

Json RunState::items() const {
  Json items = Json::object();
  for (const auto& [name, step] : steps_)
    if (!step.items.is_null()) items[name] = step.items;
  return items;
}

void RunState::apply(const Record& record) {
  if (is_empty() != std::holds_alternative<record::Run>(record.what))
    throw broken_journal("\"" + std::string(name_of(record)) + "\" is invalid at this point");
  last_ = record.time;
  std::visit(
      [&]<typename What>(const What& what) {
        if constexpr (requires { what.step; }) {
          apply_to(steps_[what.step], what, record.time);
        } else if constexpr (std::is_same_v<What, record::Run>) {
          head_ = what;
          began_ = record.time;
        } else if constexpr (std::is_same_v<What, record::Resumed>) {
          try_failed_again();
        } else if constexpr (std::is_same_v<What, record::End>) {
          end_ = what.outcome;
        }
      },
      record.what);
}

/// Resets the steps that failed, were cancelled or were skipped.
void RunState::try_failed_again() {
  end_.reset();
  for (auto& [name, step] : steps_) {
    if (!has_ended(step.phase) || has_made(step.phase)) continue;
    const int next = step.job.empty() ? 0 : step.attempt + 1, jobs = step.jobs;
    step = {};
    step.attempt = next;
    step.jobs = jobs;
  }
}

Json RunState::commit() const {
  const Json git = head_.git.value_or(Json());
  if (string_at(git, {"commit"}).empty()) return {};
  return {
      {"commit", git["commit"]}, {"branch", string_at(git, {"branch"})}, {"dirty", bool_at(git, {"dirty"})}};
}

bool RunState::ran_nothing() const {
  const auto has = [&](const auto& is_so) { return std::any_of(steps_.begin(), steps_.end(), is_so); };
  return end_ == Outcome::succeeded &&
         has([](const auto& each) { return each.second.phase == Phase::cached; }) &&
         !has([](const auto& each) { return each.second.jobs > 0; });
}

}  // namespace kml::pipeline
