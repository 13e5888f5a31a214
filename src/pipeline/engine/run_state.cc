#include "kml/pipeline/engine/run_state.h"

#include <algorithm>

#include "kml/base/error.h"

namespace kml::pipeline {

namespace {

constexpr std::pair<Phase, std::string_view> kPhaseNames[] = {
    {Phase::waiting, "waiting"},     {Phase::running, "running"}, {Phase::cached, "cached"},
    {Phase::done, "done"},           {Phase::skipped, "skipped"}, {Phase::failed, "failed"},
    {Phase::cancelled, "cancelled"},
};

}  // namespace

std::string_view name_of(Phase phase) {
  const auto* found = std::find_if(std::begin(kPhaseNames), std::end(kPhaseNames),
                                   [&](const auto& known) { return known.first == phase; });
  return found->second;
}

const StepState& RunState::step(const std::string& name) const {
  static const StepState kNew;
  const auto found = steps_.find(name);
  return found == steps_.end() ? kNew : found->second;
}

Renewal RunState::renewal() const {
  Renewal renewal;
  renewal.all = bool_at(head_, {"renewal", "all"});
  for (const Json& step : array_at(head_, {"renewal", "steps"})) renewal.steps.insert(step);
  return renewal;
}

Json RunState::items() const {
  Json items = Json::object();
  for (const auto& [name, step] : steps_)
    if (!step.items.is_null()) items[name] = step.items;
  return items;
}

void RunState::apply(const Json& record) {
  const std::string what = string_at(record, {"what"});
  const auto time = parse_rfc3339(string_at(record, {"time"}));
  if (!time || is_empty() != (what == "run"))
    throw Error(ErrorCode::failure, "the run's journal is broken",
                "\"" + what + "\" is invalid at this place", "kml run delete removes the run");
  last_ = *time;
  if (what == "run") {
    head_ = record;
    began_ = time;
  } else if (what == "end") {
    end_ = string_at(record, {"outcome"});
  } else if (what == "resumed") {
    try_failed_again();
  } else if (record.contains("step")) {
    apply_to(steps_[record["step"]], what, record, *time);
  }
}

void RunState::apply_to(StepState& step, const std::string& what, const Json& record, Time time) {
  if (record.contains("cause")) step.cause = string_at(record, {"cause"});
  if (record.contains("key")) step.key = string_at(record, {"key"});
  if (record.contains("outputs")) step.outputs = record["outputs"];
  if (what == "hit") {
    step.phase = Phase::cached;
    step.from = string_at(record, {"from"});
    step.ended = time;
  } else if (what == "begun") {
    step.phase = Phase::running;
    step.attempt = static_cast<int>(int_at(record, {"attempt"}));
    ++step.jobs;
    step.job = string_at(record, {"job"});
    step.parts = object_at(record, {"parts"});
    step.inputs = object_at(record, {"inputs"});
    step.is_seen = false;
    step.began = time;
  } else if (what == "items") {
    step.phase = Phase::done;
    step.items = record["items"];
    step.ended = time;
  } else if (what == "running") {
    step.is_seen = true;
    step.cause.clear();
  } else if (what == "wait") {
    step.is_seen = false;
  } else if (what == "lost") {
    step.phase = Phase::waiting;
    step.attempt += step.job.empty() ? 0 : 1;
    step.outputs = Json::object();
    ++step.lost;
  } else if (what == "again") {
    step.phase = Phase::waiting;
    ++step.attempt;
    step.failures += bool_at(record, {"isLost"}) ? 0 : 1;
    step.not_before = parse_rfc3339(string_at(record, {"until"})).value_or(time);
  } else if (what == "ended" || what == "skipped") {
    step.phase = what == "skipped"                ? Phase::skipped
                 : bool_at(record, {"isDone"})    ? Phase::done
                 : bool_at(record, {"isStopped"}) ? Phase::cancelled
                                                  : Phase::failed;
    step.ended = time;
    step.image_id = string_at(record, {"imageId"});
  }
}

Json RunState::commit() const {
  const Json& git = object_at(head_, {"git"});
  if (string_at(git, {"commit"}).empty()) return {};
  return {
      {"commit", git["commit"]}, {"branch", string_at(git, {"branch"})}, {"dirty", bool_at(git, {"dirty"})}};
}

bool RunState::ran_nothing() const {
  const auto has = [&](const auto& is_so) { return std::any_of(steps_.begin(), steps_.end(), is_so); };
  return end_ == "succeeded" && has([](const auto& each) { return each.second.phase == Phase::cached; }) &&
         !has([](const auto& each) { return each.second.jobs > 0; });
}

/// Resets the steps that failed, and those that did not run because of them.
void RunState::try_failed_again() {
  end_.clear();
  for (auto& [name, step] : steps_) {
    if (!has_ended(step.phase) || has_made(step.phase)) continue;
    const int next = step.job.empty() ? 0 : step.attempt + 1, jobs = step.jobs;
    step = {};
    step.attempt = next;
    step.jobs = jobs;
  }
}

}  // namespace kml::pipeline
