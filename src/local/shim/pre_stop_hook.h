#pragma once

#include <functional>
#include <memory>

#include "local/loop/event_loop.h"
#include "local/shim/pod_plan.h"
#include "local/shim/probe_attempt.h"

namespace kml::local {

/// The preStop hook of a container: a sleep, a request or a command. Afterwards, the container's program gets
/// SIGTERM.
class PreStopHook {
 public:
  /// `plan` must outlive this object. `done` is called after the hook, even if it failed, as in the kubelet,
  /// but not if end() was called.
  PreStopHook(EventLoop& loop, const ContainerPlan& plan, std::function<void()> done)
      : loop_(loop), plan_(plan), done_(std::move(done)) {}

  /// Whether the container has a preStop hook.
  explicit operator bool() const { return static_cast<bool>(plan_.pre_stop); }
  /// Starts the hook. `requests` is the socket to the container's keeper.
  void begin(const Fd* requests);
  /// If the hook is running, ends it early.
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
