#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/jobs/streams/running_rank.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// What is typed into a terminal session, without its escapes, which count after a newline: "~." ends the
/// session, "~~" is one "~".
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

/// A command to run in a container, or to attach to it.
struct SessionOptions {
  std::vector<std::string> command = {};  ///< empty: attaches to the container's own process
  bool has_input = false;
  bool has_terminal = false;  ///< needs one as standard input
  /// What the user is told, a sentence without a full stop.
  std::function<void(const std::string&)> note;
};

/// Starts bash, or sh if the image has no bash.
std::vector<std::string> shell_command_line();

/// Runs it with this process's standard input, output and error streams, until it ends; returns its exit
/// code. A signal that would end this process ends the command: its process group gets the same signal, and
/// SIGKILL after five seconds or another signal; the result is then 128 + signal. Where it cannot be
/// reached, as its image has no shell, or when attached, the session ends without it, which `note` says.
/// Throws Error if the command could not be started, or if its end is not known.
int run_session(kube::Client& client, const RunningRank& rank, const SessionOptions& options);

/// Runs the command in all of them at once, and writes whole lines with the rank before each. The result is
/// the highest exit code. Signals as in run_session(). A rank whose end is not known counts as 1, and `note`
/// says why.
int run_in_all(kube::Client& client, const std::vector<RunningRank>& ranks,
               const std::vector<std::string>& command, const std::function<void(const std::string&)>& note);

}  // namespace kml::jobs
