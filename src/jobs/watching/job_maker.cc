#include "jobs/sweep/trial_maker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "jobs/why/causes.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"

namespace kml::jobs {

/// Texts of k8s.io/apiserver: plugin/resourcequota/controller.go ("exceeded quota", "status unknown for
/// quota"; "failed quota" where the manifest lacks what the quota counts),
/// plugin/webhook/errors/statuserror.go
/// ("denied the request") and plugin/policy/validating/dispatcher.go ("denied request").
Refusal refusal_of(const Error& error) {
  if (error.http_status == 400 || error.http_status == 422) return Refusal::for_good;
  const bool is_lost = error.http_status == 0 && error.code == ErrorCode::unreachable;
  if (is_lost || error.http_status == 429 || error.http_status >= 500) return Refusal::passing;
  if (error.http_status != 403) return Refusal::of_sweep;
  const std::string text = error.message + error.why;
  const auto says = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (says("failed quota")) return Refusal::for_good;
  if (says("quota")) return Refusal::by_quota;
  return says("denied the request") || says("denied request") ? Refusal::for_good : Refusal::of_sweep;
}

namespace {

constexpr size_t kMostAtOnce = 100;

std::string text_of(const Error& error) {
  std::string text = error.message + (error.why.empty() ? "" : ": " + error.why);
  if (error.why.empty())
    for (const Problem& problem : error.problems) text += ": " + problem.path + ": " + problem.text;
  return text;
}

}  // namespace

TrialMaker::TrialMaker(kube::Client& client, const SweepRunnerOptions& options, Handler handler)
    : client_(client),
      options_(options),
      handler_(std::move(handler)),
      pause_(kFirstPause),
      at_once_(kMostAtOnce) {}

/// What one waits for that is due to its own name, others need not.
void TrialMaker::make(const std::vector<Json>& objects) {
  const bool any_waits = !waiting_.empty();
  const bool is_queue = std::any_of(waiting_.begin(), waiting_.end(),
                                    [](const Waiting& trial) { return trial.hold != Hold::name; });
  Trials trials;
  for (const Json& object : objects) trials.push_back({object});
  if (is_queue) {
    for (Waiting& trial : trials) {
      handler_.on_wait(api::name_of(trial.object), cause_);
      waiting_.push_back(std::move(trial));
    }
    return;
  }
  send(std::move(trials));
  if (any_waits) return;
  pause_ = kFirstPause;
  next_try_ = client_.transport().now() + pause_;
}

void TrialMaker::make_waiting() {
  if (waiting_.empty() || client_.transport().now() < next_try_) return;
  const size_t before = waiting_.size();
  send(std::exchange(waiting_, {}));
  pause_ = waiting_.size() < before ? kFirstPause : std::min(pause_ * 2, kLongestPause);
  next_try_ = client_.transport().now() + pause_;
}

/// Those that ask for the same quota are refused like the first of them. A server that is not well is asked
/// for no more; where it fails for one trial alone, the others go first next time.
void TrialMaker::send(Trials trials) {
  is_told_ = false;
  bool is_full = false, is_away = false;
  Trials last;
  for (size_t begin = 0, end = 0; begin < trials.size(); begin = end) {
    end = begin + 1;
    Waiting& first = trials[begin];
    if (is_away || (is_full && first.hold != Hold::name && !first.is_forgotten)) {
      handler_.on_wait(api::name_of(first.object), cause_);
      waiting_.push_back(std::move(first));
      continue;
    }
    end = batch_end(trials, begin);
    const std::vector<Creation> created = answers(trials, begin, end);
    for (size_t i = begin; i < end; ++i) {
      if (settle(trials[i], created[i - begin])) continue;
      is_full = is_full || trials[i].hold == Hold::quota;
      const bool is_lost = trials[i].hold == Hold::server;
      is_away = is_away || is_lost;
      (is_lost ? last : waiting_).push_back(std::move(trials[i]));
    }
    at_once_ = is_away ? 1 : std::min(at_once_ * 2, kMostAtOnce);
  }
  std::move(last.begin(), last.end(), std::back_inserter(waiting_));
}

/// How many go together: after a quota's refusal one, for there may be room for no more.
size_t TrialMaker::batch_end(const Trials& trials, size_t begin) const {
  const auto goes_alone = [](const Waiting& trial) {
    return trial.hold == Hold::quota || trial.is_forgotten;
  };
  size_t end = begin + 1;
  if (goes_alone(trials[begin])) return end;
  while (end < trials.size() && end - begin < at_once_ && !goes_alone(trials[end])) ++end;
  return end;
}

std::vector<Creation> TrialMaker::answers(const Trials& trials, size_t begin, size_t end) {
  std::vector<Creation> answers(end - begin);
  if (trials[begin].is_forgotten) return answers;
  std::vector<kube::Creation> requests;
  for (size_t i = begin; i < end; ++i) requests.push_back({options_.namespace_name, trials[i].object});
  client_.create_all(client_.kind_of(trials[begin].object), requests, false,
                     [&](size_t number, const Json* created, const Error* error) {
                       if (created) answers[number].created = *created;
                       if (error) answers[number].error = *error;
                     });
  return answers;
}

/// The next try is at once: nobody waits for it.
void TrialMaker::forget(const std::string& name) {
  for (Waiting& trial : waiting_) {
    if (api::name_of(trial.object) != name) continue;
    trial.is_forgotten = true;
    next_try_ = client_.transport().now();
  }
}

void TrialMaker::take(const Json& job) {
  const std::string name = api::name_of(job);
  const auto trial = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& each) { return api::name_of(each.object) == name; });
  if (trial == waiting_.end() || api::is_being_deleted(job)) return;
  waiting_.erase(trial);
  handler_.on_made(name, job);
}

/// Whether the job is made, or never will be.
bool TrialMaker::settle(Waiting& trial, const Creation& answer) {
  try {
    if (trial.is_forgotten) return look_up(trial);
    if (answer.error && answer.error->reason == "AlreadyExists") return take_over(trial);
  } catch (const Error& error) {
    return take_refusal(trial, error);
  }
  if (answer.error) return take_refusal(trial, *answer.error);
  handler_.on_made(api::name_of(trial.object), *answer.created);
  return true;
}

bool TrialMaker::take_refusal(Waiting& trial, const Error& error) {
  const std::string text = text_of(error);
  switch (refusal_of(error)) {
    case Refusal::of_sweep: throw Error(error);
    case Refusal::for_good: handler_.on_refused(api::name_of(trial.object), text); return true;
    case Refusal::passing:
      if (!std::exchange(is_told_, true)) options_.on_retry(error);
      return wait(trial, Hold::server, text);
    case Refusal::by_quota: break;
  }
  const auto cause = cause_of_quota_refusal({.job = trial.object}, text);
  return wait(trial, Hold::quota, cause ? cause->brief : text);
}

bool TrialMaker::wait(Waiting& trial, Hold hold, const std::string& cause) {
  trial.hold = hold;
  if (hold != Hold::name) cause_ = cause;
  handler_.on_wait(api::name_of(trial.object), cause);
  return false;
}

/// Its name is taken: by one that an earlier request made, by one that is on its way out, or by a stranger.
bool TrialMaker::take_over(Waiting& trial) {
  const std::string name = api::name_of(trial.object);
  const auto there = client_.get_if_exists(client_.kind_of(trial.object), options_.namespace_name, name);
  if (!there || api::is_being_deleted(*there))
    return wait(trial, Hold::name, "an earlier job of the same name is being deleted");
  if (api::label_of(*there, api::kSubmitId) != options_.submit_id)
    throw usage_error("job " + name + " already exists and does not belong to this sweep",
                      "a trial's job needs that name",
                      "give the sweep another name, or `kml delete " + name + "`");
  handler_.on_made(name, *there);
  return true;
}

/// Of one that is not to be made any more: whether it is there.
bool TrialMaker::look_up(Waiting& trial) {
  const std::string name = api::name_of(trial.object);
  const auto there = client_.get_if_exists(client_.kind_of(trial.object), options_.namespace_name, name);
  const bool is_own =
      there && !api::is_being_deleted(*there) && api::label_of(*there, api::kSubmitId) == options_.submit_id;
  if (is_own)
    handler_.on_made(name, *there);
  else
    handler_.on_unmade(name);
  return true;
}

}  // namespace kml::jobs
