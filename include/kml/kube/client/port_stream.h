#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kml/kube/client/client.h"

namespace kml::kube {

/// Callbacks are called during Transport::wait, and may destroy the stream.
struct PortHandler {
  std::function<void(std::string_view bytes)> on_data;
  /// The last callback. `error` is null if the pod has closed the connection. Otherwise it says why the
  /// connection failed, for example because no program listens on the port.
  std::function<void(const Error* error)> on_end;
};

/// A connection to a port of a pod, over its own WebSocket with the protocol v4.channel.k8s.io
/// (k8s.io/kubernetes/pkg/kubelet/cri/streaming/portforward/websocket.go). In this protocol, one direction
/// cannot be closed alone.
class PortStream {
 public:
  /// Throws Error (unreachable) if the server cannot be reached. `client` must outlive this object.
  PortStream(Client& client, const std::string& namespace_name, const std::string& pod, int port,
             PortHandler handler);
  ~PortStream();

  void send(std::string_view bytes);
  /// How many bytes are queued. If there are many, wait before sending more.
  size_t unsent() const;
  /// While the stream is paused, no data arrives, so the pod will soon have to stop sending.
  void pause(bool on);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kml::kube
