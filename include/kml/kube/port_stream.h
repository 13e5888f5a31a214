#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kml/kube/client.h"

namespace kml::kube {

/// Callbacks run inside Transport::wait. They may destroy the stream.
struct PortHandler {
  std::function<void(std::string_view bytes)> on_data;
  /// The last call: null after the pod's end has closed the connection, else why it failed, such as a port
  /// that nobody listens on.
  std::function<void(const Error* error)> on_end;
};

/// One connection to a port of a pod, over a WebSocket of its own. The protocol v4.channel.k8s.io
/// (k8s.io/kubernetes/pkg/kubelet/cri/streaming/portforward/websocket.go) works with each version of
/// Kubernetes; it cannot close only one direction.
class PortStream {
 public:
  /// Throws Error (unreachable) if there is no connection to the server. `client` must outlive it.
  PortStream(Client& client, const std::string& namespace_name, const std::string& pod, int port,
             PortHandler handler);
  ~PortStream();

  void send(std::string_view bytes);
  /// Bytes on their way out: more should wait while they are many.
  size_t unsent() const;
  /// While it is paused nothing comes, and the pod's end is held back.
  void pause(bool on);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kml::kube
