#include "kml/job/control/wait.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "job/control/narration.h"
#include "job/views/never_ran.h"
#include "kml/base/flag_errors.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/kinds.h"
#include "kml/job/why/why.h"
#include "kml/kube/client/watch.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// A kind in a namespace; a single watch covers all its jobs.
using Collection = std::pair<const api::ResourceKind*, std::string>;

Collection collection_of(const Json& job) {
  return {api::kind_of(job), api::namespace_of(job)};
}

std::string key_in(const Collection& collection, const std::string& name) {
  return collection.first->api_version() + "/" + std::string(collection.first->kind) + "/" +
         collection.second + "/" + name;
}

bool has_condition(const Json& job, const WaitGoal& goal) {
  for (const Json& condition : api::conditions_of(job)) {
    std::string type = lower(api::Condition(&condition).type());
    // The condition is "Succeeded" on a PyTorchJob and "Complete" on a Job.
    bool is_it = type == goal.condition || (type == "succeeded" && goal.condition == "complete");
    if (is_it && lower(api::Condition(&condition).status()) == goal.status) return true;
  }
  return false;
}

class Waiter {
 public:
  Waiter(const std::vector<Json>& jobs, const WaitOptions& options)
      : goal_(options.goal),
        gives_up_stuck_(options.gives_up_stuck),
        ends_with_running_(options.ends_with_running) {
    for (const Json& job : jobs) jobs_[key_in(collection_of(job), name_of(job))] = job;
    if (goal_.kind == WaitGoal::Kind::deletion) return;
    for (auto it = jobs_.begin(); it != jobs_.end();) look_at(it++);
  }

  void watch(kube::Client& client, const Collection& collection) {
    auto seen = std::make_shared<std::set<std::string>>();
    kube::WatchHandler handler;
    handler.on_change = [this, collection, seen](kube::Change change, const Json& job) {
      auto found = jobs_.find(key_in(collection, name_of(job)));
      if (found == jobs_.end()) return;
      seen->insert(found->first);
      // The event of a deleted job may contain only the job's name.
      if (change == kube::Change::deleted) return gone(found);
      found->second = job;
      look_at(found);
    };
    // A job that was deleted before the first list gets no event, so it is noticed here.
    handler.on_synced = [this, collection, seen] {
      for (auto it = jobs_.begin(); it != jobs_.end();) {
        auto job = it++;
        if (collection_of(job->second) == collection && !seen->contains(job->first)) gone(job);
      }
    };
    handler.on_failure = [this](const Error& error) { failure_ = error; };
    std::string field = jobs_.size() == 1 ? "metadata.name=" + name_of(jobs_.begin()->second) : "";
    watches_.push_back(kube::watch(client, *collection.first, collection.second, {"", field}, handler));
  }

  struct Ended {
    Json job;
    JobView view;
    bool reached;
  };
  /// The caller handles the ended jobs, because the watch's callbacks must not send requests.
  std::vector<Ended> take_ended() { return std::exchange(ended_, {}); }
  void check() const {
    if (failure_) throw *failure_;
  }
  const std::map<std::string, Json>& jobs() const { return jobs_; }

  Error timed_out(std::chrono::seconds timeout) const {
    std::vector<std::string> names;
    for (const auto& [key, job] : jobs_) names.push_back(name_of(job));
    const std::string what = names.size() == 1 ? "job " + names[0] + " " + unreached(true)
                                               : std::to_string(names.size()) + " jobs " + unreached(false);
    return {ErrorCode::unreachable,
            what + " after " + short_duration(timeout) + (names.size() == 1 ? "" : ": " + join(names, ", ")),
            "", "`kml status " + names[0] + "` shows details"};
  }

 private:
  /// The state of one or several jobs that have not reached the goal: "is not running".
  std::string unreached(bool is_one) const {
    switch (goal_.kind) {
      case WaitGoal::Kind::end: return is_one ? "has not finished" : "have not finished";
      case WaitGoal::Kind::running: return is_one ? "is not running" : "are not running";
      case WaitGoal::Kind::deletion: return is_one ? "is not deleted" : "are not deleted";
      case WaitGoal::Kind::condition: break;
    }
    return std::string(is_one ? "does" : "do") + " not have condition " + goal_.condition;
  }

  using Place = std::map<std::string, Json>::iterator;

  static std::string name_of(const Json& job) { return api::name_of(job); }

  void look_at(Place job) {
    JobView view = view_of_job(job->second);
    const bool has_it = goal_.kind == WaitGoal::Kind::running || is_endless(job->second)
                            ? view.state == State::running
                            : goal_.kind == WaitGoal::Kind::condition && has_condition(job->second, goal_);
    // While the pods of a cancelled job are stopping, they are no longer ready, but they still exist.
    const bool any_terminates =
        !api::condition_is_true(job->second, "Failed") && int_at(job->second, {"status", "terminating"}) > 0;
    const bool is_stopping =
        view.state == State::cancelled && (api::active_pods(job->second) > 0 || any_terminates);
    bool is_over = goal_.kind != WaitGoal::Kind::deletion && has_ended(view.state) && !is_stopping;
    const bool is_lost = gives_up_stuck_ && goal_.kind != WaitGoal::Kind::deletion && waits_in_vain(view);
    if (has_it || is_over || is_lost) end(job, std::move(view), has_it || goal_.kind == WaitGoal::Kind::end);
  }

  bool is_endless(const Json& job) const {
    const JobKind* kind = described_kind_of(job);
    return goal_.kind == WaitGoal::Kind::end && ends_with_running_ && kind && runs_until_deleted(*kind);
  }

  void gone(Place job) {
    JobView view = view_of_job(job->second);
    if (!has_ended(view.state)) {
      view.state = State::cancelled;
      view.cause = deletion_in_words(job->second);
    }
    end(job, std::move(view), goal_.kind == WaitGoal::Kind::end || goal_.kind == WaitGoal::Kind::deletion);
  }

  void end(Place job, JobView view, bool reached) {
    ended_.push_back({std::move(job->second), std::move(view), reached});
    jobs_.erase(job);
  }

  WaitGoal goal_;
  bool gives_up_stuck_, ends_with_running_;
  std::map<std::string, Json> jobs_;  ///< the jobs that have not reached the goal, in their last known state
  std::vector<Ended> ended_;
  std::optional<Error> failure_;
  std::vector<std::unique_ptr<kube::Watch>> watches_;
};

}  // namespace

WaitGoal parse_wait_goal(std::string_view text) {
  static const std::vector<std::string> kWords = {"end", "running", "delete"},
                                        kConditions = {"Complete", "Failed", "Suspended", "Succeeded"};
  constexpr const char* kKnown = "end, running, delete, or condition=NAME[=STATUS]";
  if (text.empty() || text == "end") return {};
  if (text == "running") return {WaitGoal::Kind::running};
  if (text == "delete") return {WaitGoal::Kind::deletion};
  constexpr std::string_view kCondition = "condition=";
  if (!text.starts_with(kCondition))
    throw invalid_value(std::string(text), "--for", kKnown,
                        suggestion(text, kWords,
                                   "for a condition: --for=condition=" +
                                       nearest(text, kConditions).value_or(std::string(text))));
  std::vector<std::string> parts = split(lower(text.substr(kCondition.size())), '=');
  if (parts.size() > 2 || parts[0].empty()) throw invalid_value(std::string(text), "--for", kKnown);
  return {WaitGoal::Kind::condition, parts[0], parts.size() == 2 ? parts[1] : "true"};
}

namespace {

void check_interrupt(const Interrupt& interrupt, const WaitOptions& options,
                     const std::map<std::string, Json>& left) {
  try {
    interrupt.check();
  } catch (const Error&) {
    std::vector<Json> jobs;
    for (const auto& [key, job] : left) jobs.push_back(job);
    if (options.on_interrupt) options.on_interrupt(jobs);
    throw;
  }
}

}  // namespace

void wait_for(kube::Client& client, const std::vector<Json>& jobs, const WaitOptions& options,
              const Interrupt& interrupt,
              const std::function<void(const Json& job, const JobView&, bool reached)>& on_end) {
  using namespace std::chrono;
  Waiter waiter(jobs, options);
  std::set<Collection> collections;
  for (const Json& job : jobs) collections.insert(collection_of(job));
  for (const Collection& collection : collections) waiter.watch(client, collection);

  constexpr size_t kMostNarrated = 10;  // if there are more jobs, `kml queue` is easier to read
  std::map<std::string, PodNarration> narrations;
  if (options.on_note && jobs.size() <= kMostNarrated)
    for (const auto& [key, job] : waiter.jobs()) narrations.try_emplace(key, client, job);

  const auto start = steady_clock::now();
  const int wake[] = {interrupt.fd()};
  for (;;) {
    for (const Waiter::Ended& ended : waiter.take_ended()) on_end(ended.job, ended.view, ended.reached);
    if (waiter.jobs().empty()) return;
    check_interrupt(interrupt, options, waiter.jobs());
    waiter.check();
    for (auto& [key, narration] : narrations)
      if (const auto job = waiter.jobs().find(key); job != waiter.jobs().end())
        if (const std::string note = narration.next(job->second); !note.empty()) options.on_note(note);
    if (options.on_look)
      for (const auto& [key, job] : waiter.jobs()) options.on_look(job);
    if (options.on_pause) options.on_pause();
    milliseconds step = options.on_progress || options.on_pause ? seconds(1) : seconds(10);
    if (options.timeout) {
      auto left = duration_cast<milliseconds>(start + *options.timeout - steady_clock::now());
      if (left.count() <= 0) throw waiter.timed_out(*options.timeout);
      step = std::min(step, left);
    }
    if (options.on_progress) options.on_progress(waiter.jobs().size(), waiter.jobs().begin()->second);
    client.transport().wait(step, wake);
  }
}

}  // namespace kml::job
