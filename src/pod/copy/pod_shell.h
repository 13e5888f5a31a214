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

/// The maximum size of the output, in bytes: for a script that prints little, and for a script that lists a
/// tree of a million files.
inline constexpr size_t kShortAnswer = size_t{1} << 20, kLongestListing = size_t{128} << 20;

/// A script for the `sh` in an image.
struct ShellCall {
  std::string_view script;
  std::vector<std::string> arguments = {};  ///< $1, $2, …
  /// Returns the next piece of standard input; empty at the end. May throw Error, which ends the call.
  std::function<std::string()> input = {};
  /// Called with each piece of standard output. May throw Error, which ends the call.
  std::function<void(std::string_view)> output = {};
};

struct ShellEnd {
  int exit_code = 0;
  std::string errors;  ///< the start of the standard error

  /// The failure on one line: "find: './x': Permission denied".
  std::string why() const;
};

/// Runs scripts in a container. Scripts may only use tools and flags that both busybox and GNU have.
class PodShell {
 public:
  /// `name` stands for the container in errors: "bert/0". The client and `interrupt` must outlive this
  /// object.
  PodShell(kube::Client& client, const RunningRank& rank, std::string name, const job::Interrupt& interrupt)
      : client_(client), rank_(rank), name_(std::move(name)), interrupt_(interrupt) {}

  const std::string& name() const { return name_; }
  const job::Interrupt& interrupt() const { return interrupt_; }
  kube::Client& client() { return client_; }

  /// Throws Error if the connection broke (see is_cut()), if the image has no `sh`, or (interrupted) if a
  /// signal arrives. A stream may end early without an error (kubernetes#124571), so the script and the
  /// caller must check that the output is complete.
  ShellEnd run(const ShellCall& call);
  /// The output of a script that prints "end" as its last line, without that line. Throws the same Errors as
  /// run(). Also throws Error if the script failed, or if its output is incomplete or longer than `most`
  /// bytes. `tried` is a phrase such as "cannot list bert/0:/x".
  std::string output_of(ShellCall call, const std::string& tried, size_t most = kShortAnswer);

 private:
  kube::Client& client_;
  const RunningRank rank_;
  const std::string name_;
  const job::Interrupt& interrupt_;
};

/// Whether the connection broke, so that another attempt may succeed.
bool is_cut(const Error& error);
/// Whether the image has no `sh`.
bool is_without_shell(const Error& error);
/// The Error for output that the script cannot have printed.
Error garbled(const std::string& tried);
bool is_garbled(const Error& error);
/// The Error for output that is incomplete, because its end mark is missing.
Error cut_short(const std::string& tried);

/// Decides how often a copy is continued after its connection broke.
class Patience {
 public:
  using Note = std::function<void(const std::string&)>;
  Patience(const PodShell& shell, Note note) : shell_(shell), note_(std::move(note)) {}

  /// Call this after an error. After a broken connection, waits a moment. Throws any other error. Also throws
  /// if the connection broke several times without an increase of `done`, the number of copied bytes.
  void after(const Error& error, std::uintmax_t done);

 private:
  const PodShell& shell_;
  Note note_;
  int in_a_row_ = 0;
  std::uintmax_t done_ = 0;
};

}  // namespace kml::pod
