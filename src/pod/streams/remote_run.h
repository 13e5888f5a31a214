#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kml/kube/client/remote_process.h"

namespace kml::pod {

/// How a command in a pod ended.
struct RemoteEnd {
  int exit_code = 0;
  std::optional<Error> error = {};  ///< why the exit code is unknown
};

/// Runs a command in a pod, and can end it by signals. The command of a RemoteProcess, by contrast, continues
/// when the connection closes (kubernetes#89031). The image's shell first prints its own process id, and then
/// becomes the command. A second command sends signals to its process group. If the image has no `sh`, the
/// command is started directly, and cannot receive signals. If there is no command, attaches to the
/// container.
///
/// Without a terminal, the shell does not become the command, but reports the command's end on both output
/// streams. The server's own report comes later and is not enough: if the input ends at the same moment as
/// the command, a real node may report "Success" without the output and the exit code (seen with containerd
/// 1.6, and with kubectl).
class RemoteRun {
 public:
  struct Handler {
    /// Called when input can be sent.
    std::function<void(kube::RemoteProcess&)> on_start = {};
    std::function<void(bool is_error, std::string_view bytes)> on_output;
  };

  enum class Shell { stays, becomes_command };

  /// Throws Error if the server cannot be reached. `client` must outlive this object.
  RemoteRun(kube::Client& client, kube::RemoteCommand command, Handler handler, Shell shell = Shell::stays);
  ~RemoteRun();
  RemoteRun(const RemoteRun&) = delete;
  RemoteRun& operator=(const RemoteRun&) = delete;

  /// Null until the command has started.
  kube::RemoteProcess* process();
  /// Pauses or resumes reading the command's output.
  void pause(bool on);
  const std::optional<RemoteEnd>& end() const { return end_; }
  /// Whether send_signal() can reach the command.
  bool has_pid() const { return pid_ > 0; }
  /// Sends a signal ("INT", "KILL") to the command's process group, without waiting for the result. If the
  /// command is still starting, sends the signal when its process id is known; if the server does not deliver
  /// it, sends it again until the command has ended. Returns false if the command cannot receive signals,
  /// because no shell has started it. Throws Error if the server cannot be reached.
  bool send_signal(const std::string& name);

 private:
  void start(bool by_shell);
  void take(bool is_error, std::string_view bytes);
  void take_pid();
  void take_until_end(bool is_error, std::string_view bytes);
  void hold(bool is_error, std::string text, size_t shown);
  void started();
  void ended(std::optional<int> exit_code, const Error* error);
  void deliver_signal();
  void deliver_signal_soon(std::chrono::milliseconds wait);

  kube::Client& client_;
  kube::RemoteCommand command_;
  Handler handler_;
  Shell shell_;
  std::string mark_;        ///< the text that comes before the process id
  std::string first_line_;  ///< the first line of output, until the process id is known
  /// An output stream of a command. The shell reports the command's end on this stream.
  struct ReportedStream {
    std::string held;  ///< text that may be the start of the report
    size_t shown = 0;  ///< how many bytes of `held` were already passed on
    std::unique_ptr<http::Timer> until_shown;
    std::optional<int> exit_code;
  };

  ReportedStream reported_[2];  ///< by is_error
  bool awaits_pid_ = false, reports_end_ = false, is_paused_ = false, has_started_ = false;
  int pid_ = 0;
  std::string signal_name_;  ///< the last signal that send_signal() was given
  std::unique_ptr<kube::RemoteProcess> process_, signal_;
  std::unique_ptr<http::Timer> again_, signal_again_;
  std::optional<RemoteEnd> end_;
};

}  // namespace kml::pod
