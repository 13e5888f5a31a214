#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/jobs/streams/running_rank.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A port of this machine and one of the pod.
struct PortPair {
  int local = 0;  ///< 0: any that is free
  int remote = 0;
};
/// "8888", "9000:8888", ":8888". Throws usage Error.
PortPair parse_port_pair(const std::string& text);

/// Ports of this machine's loopback addresses that lead into a pod, while the object exists.
class PortForward {
 public:
  /// The rank as it is now, in its newest pod; throws Error if it does not run.
  using Find = std::function<RunningRank()>;
  using Note = std::function<void(const std::string&)>;

  /// Binds the ports. Throws Error if one is in use.
  PortForward(kube::Client& client, RunningRank rank, std::vector<PortPair> ports, Find find, Note note);
  ~PortForward();

  /// With the local ports that were chosen.
  const std::vector<PortPair>& ports() const;
  /// Passes connections on until a signal, for which it throws Error (interrupted). A port that refuses costs
  /// its connection only. When the pod is gone, the next connection leads to the rank's new one.
  void run(const Interrupt& interrupt);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace kml::jobs
