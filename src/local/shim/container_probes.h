#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "local/loop/event_loop.h"
#include "local/shim/pod_plan.h"
#include "local/shim/probe_attempt.h"

namespace kml::local {

/// Repeats one probe and counts successes and failures in a row, as a worker of the kubelet does
/// (pkg/kubelet/prober/worker.go). Until the first success of a readiness or startup probe, it tries again
/// after a few milliseconds, so that a fast program is ready at once; failures of these additional attempts
/// are ignored.
class Probe {
 public:
  /// `found` is called when a threshold is reached: true for success; `changed`, when problem() has changed.
  /// `requests` returns what start_probe_attempt() needs.
  Probe(EventLoop& loop, const ProbePlan& plan, std::string container, bool is_hasty,
        std::function<const Fd*()> requests, std::function<void(bool passed)> found,
        std::function<void()> changed);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  void start();
  const ProbePlan& plan() const { return plan_; }
  /// The reason of its last failure that was not ignored; empty after a success.
  const std::string& problem() const { return problem_; }

 private:
  void try_after(std::chrono::nanoseconds delay);
  void take_result(const std::string& problem);

  EventLoop& loop_;
  const ProbePlan& plan_;
  std::string container_;
  bool is_hasty_;
  std::function<const Fd*()> requests_;
  std::function<void(bool)> found_;
  std::function<void()> changed_;
  std::unique_ptr<ProbeAttempt> attempt_;
  std::optional<EventLoop::Timer> timer_;
  int64_t passed_ = 0, failed_ = 0;
  std::chrono::nanoseconds haste_{};  ///< delay before the next additional attempt
  EventLoop::SteadyTime next_that_counts_{};
  std::string problem_;
};

/// The probes of one container: whether it has started, whether it is ready, and whether it must restart.
class ContainerProbes {
 public:
  struct Callbacks {
    std::function<const Fd*()> requests;
    std::function<void()> changed;  ///< ready(), started() or problem() has changed
    /// A liveness or startup probe has failed too often.
    std::function<void(const ProbePlan& probe, const std::string& why)> failed;
  };
  ContainerProbes(EventLoop& loop, const ContainerPlan& plan, Callbacks callbacks);

  /// The container runs.
  void begin();
  /// The container has ended.
  void end();

  bool started() const { return started_; }
  bool ready() const { return started_ && ready_; }
  /// The kubelet's message for the last failure, such as "Readiness probe failed: …"; empty without one.
  std::string problem() const;

 private:
  void begin_others();
  void make(std::optional<Probe>& probe, const ProbePlan& plan, bool is_hasty,
            std::function<void(bool passed)> found);
  void probe_failed(const char* kind, const Probe& probe);

  EventLoop& loop_;
  const ContainerPlan& plan_;
  Callbacks callbacks_;
  std::optional<Probe> startup_, liveness_, readiness_;
  bool started_ = false, ready_ = false;
};

}  // namespace kml::local
