#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// Limits on the output, in bytes: of a script that only reads, and of one that lists a tree of a million
/// files.
inline constexpr size_t kShortAnswer = size_t{1} << 20, kLongestListing = size_t{128} << 20;

/// A script for the `sh` of an image.
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
  std::string errors;  ///< the start of its standard error

  /// The failure in one line: "find: './x': Permission denied".
  std::string why() const;
};

/// Runs scripts in a container. Only tools that busybox and coreutils both have may be used.
class PodShell {
 public:
  /// `name` is what errors call the container: "bert/0". The client and `interrupt` must outlive it.
  PodShell(kube::Client& client, const RunningRank& rank, std::string name, const job::Interrupt& interrupt)
      : client_(client), rank_(rank), name_(std::move(name)), interrupt_(interrupt) {}

  const std::string& name() const { return name_; }
  const job::Interrupt& interrupt() const { return interrupt_; }
  kube::Client& client() { return client_; }

  /// Throws Error if the connection broke (see is_cut()), if the image has no `sh`, or (interrupted) on a
  /// signal. The script and the caller must check that the output is complete, because a stream may end
  /// early without an error (kubernetes#124571).
  ShellEnd run(const ShellCall& call);
  /// All output of a script that prints "end" as its last line, without that line. Throws Error as run()
  /// does, and if the script failed, or its output is cut or longer than `most` bytes; `tried` is a phrase
  /// such as "cannot list bert/0:/x".
  std::string output_of(ShellCall call, const std::string& tried, size_t most = kShortAnswer);

 private:
  kube::Client& client_;
  const RunningRank rank_;
  const std::string name_;
  const job::Interrupt& interrupt_;
};

/// Whether the connection broke, so that another try may succeed.
bool is_cut(const Error& error);
/// Whether the image has no `sh`.
bool is_without_shell(const Error& error);
/// The error for output that the script cannot have printed.
Error garbled(const std::string& tried);
bool is_garbled(const Error& error);
/// The error for output that ended before its end mark.
Error cut_short(const std::string& tried);

/// Decides how often a copy whose connection breaks is continued.
class Patience {
 public:
  using Note = std::function<void(const std::string&)>;
  Patience(const PodShell& shell, Note note) : shell_(shell), note_(std::move(note)) {}

  /// Waits a moment after a broken connection. Throws any other error, and throws if the connection broke
  /// several times while `done`, the number of copied bytes, did not grow.
  void after(const Error& error, std::uintmax_t done);

 private:
  const PodShell& shell_;
  Note note_;
  int in_a_row_ = 0;
  std::uintmax_t done_ = 0;
};

}  // namespace kml::pod
