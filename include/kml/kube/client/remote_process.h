#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/kube/client/client.h"
#include "kml/net/http/websocket.h"

namespace kml::kube {

/// A command to start in a container or, if `command` is empty, the container's own process to attach to.
struct RemoteCommand {
  std::string namespace_name, pod;
  std::string container = {};  ///< may be empty if the pod has only one
  std::vector<std::string> command = {};
  bool has_input = false;
  bool has_terminal = false;  ///< all output then comes as one stream
};

/// Callbacks run inside Transport::wait. They may destroy the process.
struct RemoteHandler {
  std::function<void()> on_open = {};
  std::function<void(bool is_error, std::string_view bytes)> on_output;
  /// The last callback, with the exit code or the reason why it is unknown. After attaching, the code is 0
  /// when the container ends.
  std::function<void(std::optional<int> exit_code, const Error* error)> on_end;
};

/// A process in a pod, over a WebSocket of the API server's protocol v5.channel.k8s.io
/// (k8s.io/apiserver/pkg/util/remotecommand, k8s.io/client-go/tools/remotecommand). Destroying it closes the
/// connection, which does not end the process.
class RemoteProcess {
 public:
  /// Throws Error (unreachable) if it cannot connect to the server. `client` must outlive this object.
  RemoteProcess(Client& client, RemoteCommand command, RemoteHandler handler);
  ~RemoteProcess();

  /// Sends bytes to the process's standard input.
  void send(std::string_view bytes);
  /// Ends the process's standard input.
  void close_input();
  void resize(int columns, int rows);
  /// The number of queued bytes. Wait before sending more input while it is large.
  size_t unsent() const;
  /// While the process is paused, no output arrives, and once a few 100 KiB wait, its writes block.
  void pause(bool on);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kml::kube
