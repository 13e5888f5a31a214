#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/http/websocket.h"
#include "kml/kube/client.h"

namespace kml::kube {

/// A command to start in a container, or, without one, the container's own process to attach to.
struct RemoteCommand {
  std::string namespace_name, pod;
  std::string container = {};  ///< may be empty where the pod has one
  std::vector<std::string> command = {};
  bool has_input = false;
  bool has_terminal = false;  ///< then all output comes as one stream
};

/// Callbacks run inside Transport::wait. They may destroy the process.
struct RemoteHandler {
  std::function<void()> on_open = {};
  std::function<void(bool is_error, std::string_view bytes)> on_output;
  /// The last call: the exit code (of `attach`, 0 when the container ends), or why it is not known.
  std::function<void(std::optional<int> exit_code, const Error* error)> on_end;
};

/// A process in a pod, over a WebSocket of the API server's protocol v5.channel.k8s.io
/// (k8s.io/apiserver/pkg/util/remotecommand, k8s.io/client-go/tools/remotecommand). Destroying it closes the
/// connection, which does not end the process.
class RemoteProcess {
 public:
  /// Throws Error (unreachable) if there is no connection to the server. `client` must outlive it.
  RemoteProcess(Client& client, RemoteCommand command, RemoteHandler handler);
  ~RemoteProcess();

  /// For its standard input.
  void send(std::string_view bytes);
  /// No more input comes.
  void close_input();
  void resize(int columns, int rows);
  /// Bytes on their way out: more input should wait while they are many.
  size_t unsent() const;
  /// While it is paused no output comes, and the process is held back once a few 100 KiB wait.
  void pause(bool on);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kml::kube
