#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// A port on this machine, and the pod's port to which it leads.
struct PortPair {
  int local = 0;  ///< 0 means any free port
  int remote = 0;
};
/// Parses "8888", "9000:8888" or ":8888". Throws usage Error for any other text.
PortPair parse_port_pair(const std::string& text);

/// Ports on loopback addresses of this machine that lead into a pod while this object exists.
class PortForward {
 public:
  /// Finds the rank's newest pod. Throws Error if the pod is not running.
  using Find = std::function<RunningRank()>;
  using Note = std::function<void(const std::string&)>;

  /// Binds the ports. Throws Error if one is in use.
  PortForward(kube::Client& client, RunningRank rank, std::vector<PortPair> ports, Find find, Note note);
  ~PortForward();

  /// The pairs of ports, each with the local port that was bound.
  const std::vector<PortPair>& ports() const;
  /// Forwards connections until a signal arrives, then throws Error (interrupted). If a port in the pod
  /// rejects a connection, only that connection ends. If the pod was replaced, the next connection goes to
  /// the rank's new pod.
  void run(const job::Interrupt& interrupt);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace kml::pod
