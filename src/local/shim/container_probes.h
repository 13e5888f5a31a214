#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "local/loop/event_loop.h"
#include "local/shim/pod_plan.h"
#include "local/shim/probe_attempt.h"

namespace kml::local {

/// Repeats a probe, and counts successes and failures in a row, as a worker in the kubelet does
/// (pkg/kubelet/prober/worker.go). Until a readiness or startup probe first succeeds, it also tries in
/// between, at first after a few milliseconds and then less and less often, so that a fast program is ready
/// at once. Failures of these additional attempts are ignored.
class Probe {
 public:
  /// `found` is called when the number of successes (true) or failures (false) in a row reaches its limit.
  /// `changed` is called when problem() has changed. `requests` returns the socket that start_probe_attempt()
  /// needs.
  Probe(EventLoop& loop, const ProbePlan& plan, std::string container, bool is_hasty,
        std::function<const Fd*()> requests, std::function<void(bool passed)> found,
        std::function<void()> changed);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  void start();
  const ProbePlan& plan() const { return plan_; }
  /// The reason for the last failure, unless that failure was ignored; empty after a success.
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
  std::chrono::nanoseconds haste_{};  ///< the delay before the next additional attempt
  EventLoop::SteadyTime next_that_counts_{};
  std::string problem_;
};

/// The probes of one container, which show whether it has started, is ready, or must be restarted.
class ContainerProbes {
 public:
  struct Callbacks {
    std::function<const Fd*()> requests;
    std::function<void()> changed;  ///< called when ready(), started() or problem() has changed
    /// Called when a liveness or startup probe has failed too often.
    std::function<void(const ProbePlan& probe, const std::string& why)> failed;
  };
  ContainerProbes(EventLoop& loop, const ContainerPlan& plan, Callbacks callbacks);

  /// Call this when the container has started to run.
  void begin();
  /// Call this when the container has ended.
  void end();

  bool started() const { return started_; }
  bool ready() const { return started_ && ready_; }
  /// The message about the last failure, worded as by the kubelet, such as "Readiness probe failed: …"; empty
  /// if there is none.
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
