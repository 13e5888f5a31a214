#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/core/clock.h"

namespace kml::jobs {

/// What a log is of: one run of one container of a pod. Its address is the same for all its lines, and valid
/// until read_logs() or follow_logs() returns.
struct LogSource {
  std::string namespace_name = {};
  std::string job = {}, job_uid = {};  ///< its name; both empty for a pod of none
  std::string pod = {}, pod_uid = {}, container = {}, node = {};
  /// A short name among the job's: "0", "worker-1", "x7f2q"; with "/CONTAINER" for all but a pod's only main
  /// one.
  std::string label = {};
  bool is_main = true;  ///< no init container, sidecar or ephemeral container
  std::optional<int> rank =
      {};           ///< among the job's pods, where they have an order; a PyTorchJob's master is 0
  int attempt = 1;  ///< the how-manieth pod this is at its rank (of those that are known), from 1
  int restart = 0;  ///< the how-manieth run of the container in this pod, from 0
};

/// A line, or a piece of a long one. The views live until the sink's call returns, and hold any bytes.
struct LogLine {
  const LogSource* source = nullptr;
  Time time;               ///< the node's clock; where a line has none, the time of the one before
  std::string_view stamp;  ///< RFC 3339, as the node wrote it; empty where it gave none
  std::string_view text;   ///< without stamp and newline
  bool begins = true;      ///< false: goes on with a line of this source, whose piece before did not end it
  bool ends = true;        ///< false: the line goes on, as it is longer than 32 KiB, or redrawn (LogCut)
};

/// What a progress bar leaves on the screen: of "1%\r2%\r3%" the last part that is not empty. For the text of
/// a whole line.
std::string_view after_carriage_returns(std::string_view text);

}  // namespace kml::jobs
