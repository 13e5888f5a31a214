#include "engine/watching/job_maker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "job/why/causes.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::engine {

/// Recognizes texts of k8s.io/apiserver: plugin/resourcequota/controller.go ("exceeded quota", "status
/// unknown for quota", and "failed quota" if the manifest lacks a value that the quota limits),
/// plugin/webhook/errors/statuserror.go ("denied the request") and plugin/policy/validating/dispatcher.go
/// ("denied request").
Refusal refusal_of(const Error& error) {
  if (error.http_status == 400 || error.http_status == 422) return Refusal::for_good;
  const bool is_lost = error.http_status == 0 && error.code == ErrorCode::unreachable;
  if (is_lost || error.http_status == 429 || error.http_status >= 500) return Refusal::passing;
  if (error.http_status != 403) return Refusal::of_user;
  const std::string text = error.message + error.why;
  const auto says = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (says("failed quota")) return Refusal::for_good;
  if (says("quota")) return Refusal::by_quota;
  return says("denied the request") || says("denied request") ? Refusal::for_good : Refusal::of_user;
}

namespace {

constexpr size_t kMostAtOnce = 100;

std::string text_of(const Error& error) {
  std::string text = message_and_why(error);
  if (error.why.empty())
    for (const Problem& problem : error.problems) text += ": " + problem.path + ": " + problem.text;
  return text;
}

}  // namespace

JobMaker::JobMaker(kube::Client& client, const WatchOptions& options, Handler handler)
    : client_(client),
      options_(options),
      handler_(std::move(handler)),
      gangs_(client, options.submit_id),
      pause_(kFirstPause),
      at_once_(kMostAtOnce) {}

/// New jobs must queue behind waiting jobs, unless each waiting job only waits because its name is taken.
void JobMaker::make(const std::vector<Json>& objects) {
  const bool any_waits = !waiting_.empty();
  const bool is_queue = std::any_of(waiting_.begin(), waiting_.end(),
                                    [](const Waiting& job) { return job.hold != Hold::name; });
  Jobs jobs;
  for (const Json& object : objects) jobs.push_back({object});
  if (is_queue) {
    for (Waiting& job : jobs) {
      handler_.on_wait(api::name_of(job.object), cause_);
      waiting_.push_back(std::move(job));
    }
    return;
  }
  send(std::move(jobs));
  if (any_waits) return;
  pause_ = kFirstPause;
  next_try_ = client_.transport().now() + pause_;
}

void JobMaker::make_waiting() {
  if (!without_groups_.empty() && client_.transport().now() >= next_try_) hand_over_groups();
  if (waiting_.empty() || client_.transport().now() < next_try_) return;
  const size_t before = waiting_.size();
  send(std::exchange(waiting_, {}));
  pause_ = waiting_.size() < before ? kFirstPause : std::min(pause_ * 2, kLongestPause);
  next_try_ = client_.transport().now() + pause_;
}

/// If a quota rejects a job, the other jobs wait without being sent, because they request the same resources.
/// After a server failure, sends nothing more. If the server fails for a single job only, the next round
/// sends the other jobs first.
void JobMaker::send(Jobs jobs) {
  is_told_ = false;
  bool is_full = false, is_away = false;
  Jobs last;
  for (size_t begin = 0, end = 0; begin < jobs.size(); begin = end) {
    end = begin + 1;
    Waiting& first = jobs[begin];
    if (is_away || (is_full && first.hold != Hold::name && !first.is_forgotten)) {
      handler_.on_wait(api::name_of(first.object), cause_);
      waiting_.push_back(std::move(first));
      continue;
    }
    end = batch_end(jobs, begin);
    const std::vector<job::Creation> created = answers(jobs, begin, end);
    for (size_t i = begin; i < end; ++i) {
      if (settle(jobs[i], created[i - begin])) continue;
      is_full = is_full || jobs[i].hold == Hold::quota;
      const bool is_lost = jobs[i].hold == Hold::server;
      is_away = is_away || is_lost;
      (is_lost ? last : waiting_).push_back(std::move(jobs[i]));
    }
    at_once_ = is_away ? 1 : std::min(at_once_ * 2, kMostAtOnce);
  }
  std::move(last.begin(), last.end(), std::back_inserter(waiting_));
}

/// The end of the batch of jobs to send together. A job that a quota has rejected is sent alone, because the
/// quota may only have room for one.
size_t JobMaker::batch_end(const Jobs& jobs, size_t begin) const {
  const auto goes_alone = [](const Waiting& job) { return job.hold == Hold::quota || job.is_forgotten; };
  size_t end = begin + 1;
  if (goes_alone(jobs[begin])) return end;
  while (end < jobs.size() && end - begin < at_once_ && !goes_alone(jobs[end])) ++end;
  return end;
}

std::vector<job::Creation> JobMaker::answers(Jobs& jobs, size_t begin, size_t end) {
  std::vector<job::Creation> answers(end - begin);
  if (jobs[begin].is_forgotten) return answers;
  std::vector<kube::Creation> requests;
  std::vector<size_t> sent;
  for (size_t i = begin; i < end; ++i) {
    if (!make_group(jobs[i].object, answers[i - begin])) continue;
    requests.push_back({options_.namespace_name, jobs[i].object});
    sent.push_back(i - begin);
  }
  if (requests.empty()) return answers;
  client_.create_all(client_.kind_of(jobs[begin].object), requests, false,
                     [&](size_t number, const Json* created, const Error* error) {
                       if (created) answers[sent[number]].created = *created;
                       if (error) answers[sent[number]].error = *error;
                     });
  return answers;
}

/// Creates the PodGroup that the job needs, if any. The PodGroup comes first, because without it the pods
/// would wait. Returns false if the PodGroup could not be created; then the job must wait, too.
bool JobMaker::make_group(Json& job, job::Creation& answer) {
  Json with_group = job;
  try {
    if (const auto group = gangs_.group_for(with_group)) {
      gangs_.create_group(*group);
      job = std::move(with_group);
    }
    return true;
  } catch (const Error& error) {
    answer.error = error;
    return false;
  }
}

void JobMaker::note_group(const Json& job) {
  if (!api::annotation_of(job, api::kPodGroup).empty()) without_groups_.push_back(job);
}

/// What fails is tried again in the next round.
void JobMaker::hand_over_groups() {
  std::erase_if(without_groups_, [&](const Json& job) {
    try {
      gangs_.hand_over(job);
      return true;
    } catch (const Error& error) {
      return refusal_of(error) != Refusal::passing;
    }
  });
}

/// Makes the next attempt immediate, because the user is no longer waiting for this job.
void JobMaker::forget(const std::string& name) {
  for (Waiting& job : waiting_) {
    if (api::name_of(job.object) != name) continue;
    job.is_forgotten = true;
    next_try_ = client_.transport().now();
  }
}

void JobMaker::take(const Json& job) {
  const std::string name = api::name_of(job);
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& each) { return api::name_of(each.object) == name; });
  if (found == waiting_.end() || api::is_being_deleted(job)) return;
  waiting_.erase(found);
  note_group(job);
  handler_.on_made(name, job);
}

/// Returns true if the job was created or never will be.
bool JobMaker::settle(Waiting& job, const job::Creation& answer) {
  try {
    if (job.is_forgotten) return look_up(job);
    if (answer.error && answer.error->reason == "AlreadyExists") return take_over(job);
  } catch (const Error& error) {
    return take_refusal(job, error);
  }
  if (answer.error) return take_refusal(job, *answer.error);
  note_group(*answer.created);
  hand_over_groups();
  handler_.on_made(api::name_of(job.object), *answer.created);
  return true;
}

bool JobMaker::take_refusal(Waiting& job, const Error& error) {
  const std::string text = text_of(error);
  switch (refusal_of(error)) {
    case Refusal::of_user: throw Error(error);
    case Refusal::for_good:
      gangs_.remove_group(job.object);
      handler_.on_refused(api::name_of(job.object), text);
      return true;
    case Refusal::passing:
      if (!std::exchange(is_told_, true)) options_.on_retry(error);
      return wait(job, Hold::server, text);
    case Refusal::by_quota: break;
  }
  const auto cause = job::cause_of_quota_refusal({.job = job.object}, text);
  return wait(job, Hold::quota, cause ? cause->brief : text);
}

bool JobMaker::wait(Waiting& job, Hold hold, const std::string& cause) {
  job.hold = hold;
  if (hold != Hold::name) cause_ = cause;
  handler_.on_wait(api::name_of(job.object), cause);
  return false;
}

/// Handles a name that is already taken: by this job, which an earlier request created, by a job that is
/// being deleted, or by another owner's job.
bool JobMaker::take_over(Waiting& job) {
  const std::string name = api::name_of(job.object);
  const auto there = client_.get_if_exists(client_.kind_of(job.object), options_.namespace_name, name);
  if (!there || api::is_being_deleted(*there))
    return wait(job, Hold::name, "an earlier job with the same name is being deleted");
  if (api::label_of(*there, api::kSubmitId) != options_.submit_id)
    throw usage_error("job " + name + " already exists and does not belong to " + options_.taken.owner,
                      options_.taken.why, options_.taken.fix + ", or `kml delete " + name + "`");
  note_group(*there);
  hand_over_groups();
  handler_.on_made(name, *there);
  return true;
}

/// Checks whether the server has created a job that the caller no longer wants.
bool JobMaker::look_up(Waiting& job) {
  const std::string name = api::name_of(job.object);
  const auto there = client_.get_if_exists(client_.kind_of(job.object), options_.namespace_name, name);
  const bool is_own =
      there && !api::is_being_deleted(*there) && api::label_of(*there, api::kSubmitId) == options_.submit_id;
  if (is_own)
    handler_.on_made(name, *there);
  else
    handler_.on_unmade(name);
  return true;
}

}  // namespace kml::engine
