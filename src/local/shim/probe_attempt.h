#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// One attempt of a probe. Destroy it to cancel it.
class ProbeAttempt {
 public:
  virtual ~ProbeAttempt() = default;
};

/// Starts an attempt: connects to the port, sends the HTTP request, or starts the command by way of
/// `requests`, the socket of the container's keeper. Calls back once, from the loop. `problem` is empty if
/// the probe has succeeded, otherwise it is the failure in the kubelet's words.
std::unique_ptr<ProbeAttempt> start_probe_attempt(EventLoop& loop, const ProbePlan& plan,
                                                  const std::string& container, const Fd* requests,
                                                  std::function<void(const std::string& problem)> done);

}  // namespace kml::local
