#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/watching/job_pods.h"
#include "engine/watching/patient_requests.h"
#include "job/logs/log_context.h"
#include "job/logs/sources.h"
#include "kml/engine/watching/job_runner.h"
#include "kml/kube/client/watch.h"

namespace kml::engine {

/// The common part of the runners that use a server: watches an engine's jobs and their pods, and reports
/// about both.
class WatchingRunner : private job::LogSink {
 public:
  WatchingRunner(kube::Client& client, WatchOptions options, const job::Interrupt& interrupt);

  /// Like JobRunner::wait().
  std::vector<JobReport> wait(std::chrono::milliseconds limit);

 protected:
  virtual void on_job(kube::Change change, const Json& job) = 0;
  virtual void on_pod(kube::Change change, const Json& pod) = 0;
  /// The pods of the job or task that the line or event belongs to, or nullptr.
  virtual JobPods* pods_of(const job::LogSource& source) = 0;
  /// Reports the jobs that have ended since the last call.
  virtual void look_for_ends() = 0;

  /// Starts to watch jobs of that kind and all pods, unless they are already watched.
  void watch(const api::ResourceKind& kind);
  /// Whether the watches have been silent for a while and have therefore caught up with the server.
  bool is_quiet() const;
  /// Lists a job's pods. Watches are not synchronized, so a pod's last state may arrive after its job's.
  /// `labels` selects pods; if empty, all pods are listed. Returns the result of
  /// PatientRequests::try_request().
  bool list_pods(const Json& job, const std::string& labels = {});
  /// Jobs that have had no pods since this time or an earlier one should be checked now: they may wait for a
  /// quota or a queue, which neither jobs nor pods show. Empty shortly after a check, because a check takes
  /// several requests.
  std::optional<http::SteadyTime> start_of_long_waits() const;
  /// Why the job waits. Empty if it does not wait, or if the cause cannot be read.
  std::optional<std::string> look_for_wait(const std::string& job);
  JobPods new_pods(const std::string& name, bool each_rank_counts = false);
  void tell(JobReport report) { reports_.push_back(std::move(report)); }

  kube::Client& client_;
  const WatchOptions options_;
  PatientRequests requests_;

 private:
  void watch_kind(const api::ResourceKind& kind,
                  void (WatchingRunner::*on_change)(kube::Change, const Json&));
  void lines(std::span<const job::LogLine> lines) final;
  void event(const job::LogEvent& event) final;

  const job::Interrupt& interrupt_;
  const job::LogSelection selection_ = {.cut = kube::LogCut::redraws};
  job::LogContext context_;
  job::Sources sources_{selection_};
  std::vector<JobReport> reports_;
  std::vector<std::unique_ptr<kube::Watch>> watches_;
  std::set<std::string> watched_;  ///< the paths of the jobs' kinds
  http::SteadyTime last_change_{}, looked_for_waits_{};
};

}  // namespace kml::engine
