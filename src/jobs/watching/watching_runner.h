#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobs/logs/log_context.h"
#include "jobs/logs/sources.h"
#include "jobs/watching/job_maker.h"
#include "jobs/watching/job_pods.h"
#include "kml/jobs/watching/job_runner.h"
#include "kml/kube/watch.h"

namespace kml::jobs {

/// What runners on a server have in common: watches for an engine's jobs, one for their pods, and what is
/// told of both.
class WatchingRunner : private LogSink {
 public:
  WatchingRunner(kube::Client& client, WatchOptions options, const Interrupt& interrupt);

  /// As JobRunner's.
  std::vector<engine::JobReport> wait(std::chrono::milliseconds limit);

 protected:
  virtual void on_job(kube::Change change, const Json& job) = 0;
  virtual void on_pod(kube::Change change, const Json& pod) = 0;
  /// The job, or its task, that a line or an event is of, or nullptr.
  virtual JobPods* pods_of(const LogSource& source) = 0;
  /// Tells what has ended since.
  virtual void look_for_ends() = 0;

  /// Begins to watch jobs of that kind and all pods, where it does not yet.
  void watch(const api::ResourceKind& kind);
  /// Whether the watches have brought nothing for a while: they are as far as the server.
  bool is_quiet() const;
  /// The watches are not in step: a pod's last state may come after its job's. `labels` says which of the
  /// job's pods; all where it is empty. As is_answered().
  bool list_pods(const Json& job, const std::string& labels = {});
  /// Whether the request went through. If the server was away or unwell it did not, and should be repeated
  /// later; for a while after that, no request is tried. Throws any other error of `request`.
  bool is_answered(const std::function<void()>& request);
  /// The same of a request that changes a job: one that is gone needs no change.
  bool is_answered_or_gone(const std::function<void()>& request);
  /// The same of its cancellation.
  bool is_cancelled(const Json& job);
  /// Since when a job must have had no pods to be looked into now: a job and its pods do not tell why there
  /// are none, a quota or a queue. Nothing if one was looked into lately: it takes several requests.
  std::optional<http::SteadyTime> begun_long_ago() const;
  /// Why that job waits; nothing if it does not, or nobody may know.
  std::optional<std::string> look_for_wait(const std::string& job);
  JobPods new_pods(const std::string& name, bool each_rank_counts = false);
  void tell(engine::JobReport report) { reports_.push_back(std::move(report)); }

  kube::Client& client_;
  const WatchOptions options_;

 private:
  void watch_kind(const api::ResourceKind& kind,
                  void (WatchingRunner::*on_change)(kube::Change, const Json&));
  void lines(std::span<const LogLine> lines) final;
  void event(const LogEvent& event) final;

  const Interrupt& interrupt_;
  const LogSelection selection_ = {.cut = kube::LogCut::redraws};
  LogContext context_;
  Sources sources_{selection_};
  std::vector<engine::JobReport> reports_;
  std::vector<std::unique_ptr<kube::Watch>> watches_;
  std::set<std::string> watched_;  ///< the paths of the jobs' kinds
  http::SteadyTime last_change_{}, looked_for_waits_{}, next_request_{};
  std::chrono::milliseconds pause_ = kFirstPause;
};

}  // namespace kml::jobs
