#include "kml/jobs/wait.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kml/core/text.h"
#include "kml/jobs/kinds.h"
#include "kml/kube/watch.h"

namespace kml::jobs {

namespace {

/// Where jobs lie: those of one kind in one namespace, which one watch covers.
using Collection = std::pair<const api::ResourceKind*, std::string>;

Collection collection_of(const Json& job) {
  return {api::kind_of(job), string_at(job, {"metadata", "namespace"})};
}

std::string key_in(const Collection& collection, const std::string& name) {
  return std::string(collection.first->kind) + "/" + collection.second + "/" + name;
}

struct Pending {
  std::map<std::string, Json> jobs;  ///< by key, the last seen
  std::vector<std::pair<Json, JobView>>
      ended;  ///< told of outside the watch's callbacks, which must not send
  std::optional<Error> failure;
};

Error timed_out(const Pending& pending, std::chrono::seconds timeout) {
  std::vector<std::string> names;
  for (const auto& [key, job] : pending.jobs) names.push_back(string_at(job, {"metadata", "name"}));
  return {ErrorCode::unreachable, "not ended after " + short_duration(timeout) + ": " + join(names, ", "), "",
          "`kml status " + names[0] + "` says more"};
}

}  // namespace

void wait_for_end(kube::Client& client, const std::vector<Json>& jobs,
                  std::optional<std::chrono::seconds> timeout, const Interrupt& interrupt,
                  const std::function<void(const Json& job, const JobView&)>& on_end) {
  Pending pending;
  std::set<Collection> collections;
  for (const Json& job : jobs) {
    Collection collection = collection_of(job);
    pending.jobs[key_in(collection, string_at(job, {"metadata", "name"}))] = job;
    collections.insert(std::move(collection));
  }

  std::vector<std::unique_ptr<kube::Watch>> watches;
  for (const Collection& collection : collections) {
    auto seen = std::make_shared<std::map<std::string, bool>>();
    kube::WatchHandler handler;
    handler.on_change = [&, seen](kube::Change change, const Json& job) {
      auto found = pending.jobs.find(key_in(collection, string_at(job, {"metadata", "name"})));
      if (found == pending.jobs.end()) return;
      (*seen)[found->first] = true;
      // What is told of a deleted one may be no more than its name.
      if (change != kube::Change::deleted) found->second = job;
      JobView view = view_of_job(found->second);
      if (change == kube::Change::deleted && !has_ended(view.state)) {
        view.state = State::cancelled;
        view.cause = "deleted";
      }
      if (!has_ended(view.state)) return;
      pending.ended.push_back({std::move(found->second), std::move(view)});
      pending.jobs.erase(found);
    };
    // One that went away before the first list will never change again.
    handler.on_synced = [&, seen] {
      for (auto it = pending.jobs.begin(); it != pending.jobs.end();) {
        bool gone = collection_of(it->second) == collection && !seen->contains(it->first);
        if (!gone) {
          ++it;
          continue;
        }
        JobView view = view_of_job(it->second);
        view.state = State::cancelled;
        view.cause = "deleted";
        pending.ended.push_back({std::move(it->second), std::move(view)});
        it = pending.jobs.erase(it);
      }
    };
    handler.on_failure = [&](const Error& error) { pending.failure = error; };
    std::string field = jobs.size() == 1 ? "metadata.name=" + string_at(jobs[0], {"metadata", "name"}) : "";
    watches.push_back(kube::watch(client, *collection.first, collection.second, {"", field}, handler));
  }

  auto start = std::chrono::steady_clock::now();
  const int wake[] = {interrupt.fd()};
  for (;;) {
    for (auto& [job, view] : std::exchange(pending.ended, {})) on_end(job, view);
    if (pending.jobs.empty()) return;
    interrupt.check();
    if (pending.failure) throw *pending.failure;
    std::chrono::milliseconds step{10'000};
    if (timeout) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(start + *timeout -
                                                                        std::chrono::steady_clock::now());
      if (left.count() <= 0) throw timed_out(pending, *timeout);
      step = std::min(step, left);
    }
    client.transport().wait(step, wake);
  }
}

}  // namespace kml::jobs
