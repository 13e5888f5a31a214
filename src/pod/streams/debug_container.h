#pragma once

#include <memory>
#include <string>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// A container with its own tools that is added to a running pod (an ephemeral container). It sees the
/// processes of another container and, through /proc/PID/root, its files. Its program ends with the object,
/// or when this process is killed. Its entry stays in the pod, because Kubernetes cannot remove it.
class DebugContainer {
 public:
  /// Adds the container and waits until it runs. It gets the security context of the target, because the
  /// namespace may have a stricter policy. Throws Error if the server rejects it, or if it does not start.
  DebugContainer(kube::Client& client, const RunningRank& target, const std::string& image,
                 const job::Interrupt& interrupt);
  ~DebugContainer();

  const RunningRank& place() const { return place_; }

 private:
  RunningRank place_;
  struct Held;
  std::unique_ptr<Held> held_;
};

/// The patch that adds it to a pod.
Json debug_container_patch(const Json& pod, const std::string& target, const std::string& name,
                           const std::string& image);

}  // namespace kml::pod
