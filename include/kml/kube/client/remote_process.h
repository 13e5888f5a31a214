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

/// A command to start in a container. If `command` is empty, kml attaches to the container's own process.
struct RemoteCommand {
  std::string namespace_name, pod;
  std::string container = {};  ///< the name of the container; may be empty if the pod has a single container
  std::vector<std::string> command = {};
  bool has_input = false;
  bool has_terminal = false;  ///< if true, standard output and standard error arrive as one stream
};

/// Callbacks are called during Transport::wait, and may destroy the process.
struct RemoteHandler {
  std::function<void()> on_open = {};
  std::function<void(bool is_error, std::string_view bytes)> on_output;
  /// The last callback, with the exit code, or with the reason why the exit code is unknown. When attached,
  /// the code is 0 at the end of the container.
  std::function<void(std::optional<int> exit_code, const Error* error)> on_end;
};

/// A process in a pod, over a WebSocket with the API server's protocol v5.channel.k8s.io
/// (k8s.io/apiserver/pkg/util/remotecommand, k8s.io/client-go/tools/remotecommand). Destroying this object
/// closes the connection, but does not end the process.
class RemoteProcess {
 public:
  /// Throws Error (unreachable) if the server cannot be reached. `client` must outlive this object.
  RemoteProcess(Client& client, RemoteCommand command, RemoteHandler handler);
  ~RemoteProcess();

  /// Sends bytes to the process's standard input.
  void send(std::string_view bytes);
  /// Ends the process's standard input.
  void close_input();
  void resize(int columns, int rows);
  /// How many bytes are queued. If there are many, wait before sending more input.
  size_t unsent() const;
  /// While the process is paused, no output arrives. After some 100 KiB of output, its writes block.
  void pause(bool on);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kml::kube
