#pragma once

#include <functional>
#include <memory>

#include "local/loop/event_loop.h"
#include "local/shim/pod_plan.h"
#include "local/shim/probe_attempt.h"

namespace kml::local {

/// A container's preStop hook: a sleep, a request or a command, after which its program gets SIGTERM.
class PreStopHook {
 public:
  /// `plan` must outlive it. `done` is called after the hook, even if it fails, as in the kubelet.
  PreStopHook(EventLoop& loop, const ContainerPlan& plan, std::function<void()> done)
      : loop_(loop), plan_(plan), done_(std::move(done)) {}

  /// Whether the container has one.
  explicit operator bool() const { return static_cast<bool>(plan_.pre_stop); }
  /// `requests` is the socket of the container's keeper.
  void begin(const Fd* requests);
  /// Ends it early, if it runs.
  void end();
  bool runs() const { return runs_; }

 private:
  EventLoop& loop_;
  const ContainerPlan& plan_;
  std::function<void()> done_;
  bool runs_ = false;
  EventLoop::Timer sleep_{};
  std::unique_ptr<ProbeAttempt> attempt_;
};

}  // namespace kml::local
