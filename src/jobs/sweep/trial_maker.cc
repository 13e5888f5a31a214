#include "jobs/sweep/trial_maker.h"

#include <algorithm>
#include <utility>

#include "jobs/sweep/refusal.h"
#include "jobs/why/quota_cause.h"
#include "kml/api/labels.h"
#include "kml/api/object_name.h"

namespace kml::jobs {

namespace {

constexpr std::chrono::milliseconds kFirstPause{1'000}, kLongestPause{30'000};

bool is_leaving(const Json& object) {
  return find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

std::string text_of(const Error& error) {
  std::string text = error.message + (error.why.empty() ? "" : ": " + error.why);
  if (error.why.empty())
    for (const Problem& problem : error.problems) text += ": " + problem.path + ": " + problem.text;
  return text;
}

}  // namespace

TrialMaker::TrialMaker(kube::Client& client, const SweepRunnerOptions& options, Handler handler)
    : client_(client), options_(options), handler_(std::move(handler)), pause_(kFirstPause) {}

void TrialMaker::make(const std::vector<Json>& objects) {
  const std::vector<Creation> answers = create_all(client_, objects, {});
  if (waiting_.empty()) pause_ = kFirstPause;
  for (size_t i = 0; i < answers.size(); ++i) {
    Waiting trial{objects[i]};
    if (!settle(trial, answers[i])) waiting_.push_back(std::move(trial));
  }
  next_try_ = client_.transport().now() + pause_;
}

/// Those that ask for the same quota are refused like the first of them.
void TrialMaker::make_waiting() {
  if (waiting_.empty() || client_.transport().now() < next_try_) return;
  const size_t before = waiting_.size();
  bool is_full = false;
  for (Waiting& trial : std::exchange(waiting_, {})) {
    const bool is_settled =
        !(is_full && trial.for_quota) && settle(trial, create_all(client_, {trial.object}, {})[0]);
    is_full = is_full || trial.for_quota;
    if (!is_settled) waiting_.push_back(std::move(trial));
  }
  pause_ = waiting_.size() < before ? kFirstPause : std::min(pause_ * 2, kLongestPause);
  next_try_ = client_.transport().now() + pause_;
}

bool TrialMaker::forget(const std::string& name) {
  return std::erase_if(waiting_, [&](const Waiting& trial) { return api::name_of(trial.object) == name; }) >
         0;
}

/// Whether the job is made, or never will be.
bool TrialMaker::settle(Waiting& trial, const Creation& answer) {
  const std::string name = api::name_of(trial.object);
  trial.for_quota = false;
  const bool is_taken =
      answer.created ? is_leaving(*answer.created) : answer.error && answer.error->reason == "AlreadyExists";
  if (is_taken) return take_over(name, trial.object);
  if (answer.created) {
    handler_.on_made(name, *answer.created);
    return true;
  }
  if (!answer.error) return false;  // not tried
  const std::string text = text_of(*answer.error);
  switch (refusal_of(*answer.error)) {
    case Refusal::of_sweep: throw Error(*answer.error);
    case Refusal::for_good: handler_.on_refused(name, text); return true;
    case Refusal::by_quota: break;
  }
  const auto cause = cause_of_quota_refusal({.job = trial.object}, text);
  trial.for_quota = true;
  handler_.on_wait(name, cause ? cause->brief : text);
  return false;
}

/// Its name is taken: by one that an earlier engine made, by one that is on its way out, or by a stranger.
bool TrialMaker::take_over(const std::string& name, const Json& object) {
  const auto there = client_.get_if_exists(client_.kind_of(object), options_.namespace_name, name);
  if (!there) return false;
  if (is_leaving(*there)) {
    handler_.on_wait(name, "an earlier job of its name is being deleted");
    return false;
  }
  if (string_at(*there, {"metadata", "labels", api::kSubmitId}) != options_.submit_id)
    throw usage_error("job " + name + " is there already, and is none of this sweep",
                      "a trial's job would have that name",
                      "give the sweep another name, or `kml delete " + name + "`");
  handler_.on_made(name, *there);
  return true;
}

}  // namespace kml::jobs
