#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// Removes escape sequences from what a user types in a terminal session. At the start of a line, "~." ends
/// the session, and "~~" becomes "~".
class EscapeFilter {
 public:
  struct Result {
    std::string text;  ///< the text to send to the pod
    bool ends = false;
  };
  Result take(std::string_view typed);

 private:
  enum class At { line_begin, tilde, inside } at_ = At::line_begin;
};

/// A command to run in a container. Without a command, attaches to the container's own process.
struct SessionOptions {
  std::vector<std::string> command =
      {};  ///< the command to run; if empty, the session attaches to the container's own process
  bool has_input = false;
  bool has_terminal = false;       ///< requires that standard input is a terminal
  bool sends_end_of_input = true;  ///< if false, the session continues after the end of the input
  /// Called with a message for the user, which is a sentence without a period.
  std::function<void(const std::string&)> note;
};

/// A command that starts bash, or sh if the image has no bash.
std::vector<std::string> shell_command_line();

/// Runs the command with this process's standard input, output and error, and returns the command's exit
/// code. A signal that would end this process ends the command instead: the command's process group receives
/// the same signal, and after five seconds or another signal, SIGKILL. The result is then 128 + signal. If
/// signals cannot reach the command, because the image has no shell or the session is attached, only the
/// session ends, and `note` says so. Throws Error if the command could not be started, or if it is unknown
/// how it ended.
int run_session(kube::Client& client, const RunningRank& rank, const SessionOptions& options);

/// Runs the command in all these ranks at the same time, and prints complete lines with the rank before each.
/// Returns the highest exit code. Handles signals as run_session() does. If a rank's exit code is unknown,
/// uses 1, and `note` says why.
int run_in_all(kube::Client& client, const std::vector<RunningRank>& ranks,
               const std::vector<std::string>& command, const std::function<void(const std::string&)>& note);

}  // namespace kml::pod
