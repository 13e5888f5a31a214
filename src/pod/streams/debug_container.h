#pragma once

#include <memory>
#include <string>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// An ephemeral container with its own tools that is added to a running pod. It sees the processes of another
/// container and, through /proc/PID/root, that container's files. Its program ends when this object is
/// destroyed or this process is killed. Its entry remains in the pod, because Kubernetes cannot remove it.
class DebugContainer {
 public:
  /// Adds the container, and waits until it is running. The container gets the security context of the other
  /// container, because the namespace may have a strict policy. Throws Error if the server rejects the
  /// container, or if it does not start.
  DebugContainer(kube::Client& client, const RunningRank& target, const std::string& image,
                 const job::Interrupt& interrupt);
  ~DebugContainer();

  const RunningRank& place() const { return place_; }

 private:
  RunningRank place_;
  struct Held;
  std::unique_ptr<Held> held_;
};

/// The patch that adds the container to a pod.
Json debug_container_patch(const Json& pod, const std::string& target, const std::string& name,
                           const std::string& image);

}  // namespace kml::pod
