#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// One attempt of a probe. Destroy the object to cancel the attempt.
class ProbeAttempt {
 public:
  virtual ~ProbeAttempt() = default;
};

/// Starts an attempt: connects to the port, sends the HTTP request, or starts the command through `requests`,
/// the socket to the container's keeper. Calls back once, from the event loop. `problem` is empty if the
/// attempt has succeeded; otherwise it describes the failure, worded as by the kubelet.
std::unique_ptr<ProbeAttempt> start_probe_attempt(EventLoop& loop, const ProbePlan& plan,
                                                  const std::string& container, const Fd* requests,
                                                  std::function<void(const std::string& problem)> done);

}  // namespace kml::local
