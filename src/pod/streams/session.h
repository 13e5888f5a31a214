#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// Removes the escapes from what a user types into a terminal session. After a newline, "~." ends the
/// session, and "~~" becomes "~".
class EscapeFilter {
 public:
  struct Result {
    std::string text;  ///< for the other end
    bool ends = false;
  };
  Result take(std::string_view typed);

 private:
  enum class At { line_begin, tilde, inside } at_ = At::line_begin;
};

/// A command to run in a container, or the container's own process to attach to.
struct SessionOptions {
  std::vector<std::string> command = {};  ///< empty: attaches to the container's own process
  bool has_input = false;
  bool has_terminal = false;       ///< standard input must then be a terminal
  bool sends_end_of_input = true;  ///< otherwise the session continues without input
  /// Called with a message for the user, a sentence without a full stop.
  std::function<void(const std::string&)> note;
};

/// Starts bash, or sh if the image has no bash.
std::vector<std::string> shell_command_line();

/// Runs the command with this process's standard input, output and error streams, and returns its exit code.
/// A signal that would end this process ends the command instead: its process group gets the same signal, and
/// SIGKILL after five seconds or another signal. The result is then 128 + signal. If signals cannot reach the
/// process, because its image has no shell or the session is attached, only the session ends, and `note`
/// reports this. Throws Error if the command could not be started, or if its end is unknown.
int run_session(kube::Client& client, const RunningRank& rank, const SessionOptions& options);

/// Runs the command in all these ranks at once, and writes complete lines with the rank before each. Returns
/// the highest exit code. Handles signals like run_session(). If a rank's exit code is unknown, it is taken
/// as 1, and `note` says why.
int run_in_all(kube::Client& client, const std::vector<RunningRank>& ranks,
               const std::vector<std::string>& command, const std::function<void(const std::string&)>& note);

}  // namespace kml::pod
