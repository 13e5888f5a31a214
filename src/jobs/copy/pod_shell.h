#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/jobs/streams/running_rank.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A script that `sh` of an image runs.
struct ShellCall {
  std::string_view script;
  std::vector<std::string> arguments = {};  ///< $1, $2, …
  /// The next piece of its standard input; empty: no more. May throw Error, which ends the call.
  std::function<std::string()> input = {};
  /// A piece of its standard output. May throw Error, which ends the call.
  std::function<void(std::string_view)> output = {};
};

struct ShellEnd {
  int exit_code = 0;
  std::string errors;  ///< the beginning of its standard error

  /// What failed, in one line: "find: './x': Permission denied".
  std::string why() const;
};

/// Runs scripts in a container. Only tools that busybox and coreutils both have may be used.
class PodShell {
 public:
  /// `name` is what errors call the container: "bert/0". The client and `interrupt` must outlive it.
  PodShell(kube::Client& client, const RunningRank& rank, std::string name, const Interrupt& interrupt)
      : client_(client), rank_(rank), name_(std::move(name)), interrupt_(interrupt) {}

  const std::string& name() const { return name_; }
  const Interrupt& interrupt() const { return interrupt_; }
  kube::Client& client() { return client_; }

  /// Throws Error if the connection broke (see is_cut()), if the image has no `sh`, or (interrupted) at a
  /// signal. Whether the output is whole is for the script and the caller to make sure: a stream may end
  /// early without a sign (kubernetes#124571).
  ShellEnd run(const ShellCall& call);
  /// All output of a script that prints "end" as its last line, without that line. Throws Error as run()
  /// does, and if the script failed or its output is cut; `tried` is a phrase such as "cannot list
  /// bert/0:/x".
  std::string output_of(ShellCall call, const std::string& tried);

 private:
  kube::Client& client_;
  const RunningRank rank_;
  const std::string name_;
  const Interrupt& interrupt_;
};

/// Whether the connection broke, so that the call may succeed when it is made again.
bool is_cut(const Error& error);
/// Output that is not what its script prints.
Error garbled(const std::string& tried);
bool is_garbled(const Error& error);
/// Output that ended before its end mark.
Error cut_short(const std::string& tried);

/// Decides how often a copy whose connection breaks is continued.
class Patience {
 public:
  using Note = std::function<void(const std::string&)>;
  Patience(const PodShell& shell, Note note) : shell_(shell), note_(std::move(note)) {}

  /// Waits a moment after an error. Throws it if it is not a broken connection, or if several broke in a row
  /// without more than `done` bytes having been copied.
  void after(const Error& error, std::uintmax_t done);

 private:
  const PodShell& shell_;
  Note note_;
  int in_a_row_ = 0;
  std::uintmax_t done_ = 0;
};

}  // namespace kml::jobs
