#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kml/kube/remote_process.h"

namespace kml::jobs {

/// How a command in a pod ended.
struct RemoteEnd {
  int exit_code = 0;
  std::optional<Error> error = {};  ///< why the exit code is not known
};

/// A command in a pod that can be ended from here, unlike a RemoteProcess: closing a connection leaves the
/// command to itself (kubernetes#89031). A shell of the image starts it, which first prints its own process
/// id; a signal then comes by a second command. An image without `sh` gets the command as it is, and no
/// signals. Without a command it attaches to the container.
class RemoteRun {
 public:
  struct Handler {
    /// Input may be sent from here on.
    std::function<void(kube::RemoteProcess&)> on_start = {};
    std::function<void(bool is_error, std::string_view bytes)> on_output;
  };

  /// Throws Error if there is no connection. `client` must outlive it.
  RemoteRun(kube::Client& client, kube::RemoteCommand command, Handler handler);
  ~RemoteRun();
  RemoteRun(const RemoteRun&) = delete;
  RemoteRun& operator=(const RemoteRun&) = delete;

  /// Null before it has started.
  kube::RemoteProcess* process();
  /// Holds back its output.
  void pause(bool on);
  const std::optional<RemoteEnd>& end() const { return end_; }
  /// Whether send_signal() can reach it.
  bool has_pid() const { return pid_ > 0; }
  /// Sends its process group a signal: "INT", "KILL". Does not wait; false if it has no process id.
  bool send_signal(const std::string& name);

 private:
  void start(bool by_shell);
  void take(bool is_error, std::string_view bytes);
  void take_pid();
  void started();
  void ended(std::optional<int> exit_code, const Error* error);

  kube::Client& client_;
  kube::RemoteCommand command_;
  Handler handler_;
  std::string mark_;        ///< before the process id
  std::string first_line_;  ///< of the output, while the process id is awaited
  bool awaits_pid_ = false, is_paused_ = false, has_started_ = false;
  int pid_ = 0;
  std::unique_ptr<kube::RemoteProcess> process_, signal_;
  std::unique_ptr<http::Timer> again_;
  std::optional<RemoteEnd> end_;
};

}  // namespace kml::jobs
