#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "kml/jobs/logs/logs.h"

namespace kml::jobs {

/// How many logs of one node are followed at once. Each idle follow holds an inotify instance there, of which
/// the kernel grants a user 128 by default (fs.inotify.max_user_instances), the kubelet's own included; where
/// they are used up nobody can follow anything on that node.
class NodeSlots {
 public:
  static constexpr int kMost = 64;

  bool take(const std::string& node) {
    int& used = used_[node];
    if (used >= kMost) return false;
    ++used;
    return true;
  }
  void give_back(const std::string& node) { --used_[node]; }

 private:
  std::map<std::string, int> used_;
};

/// What all logs of one command share.
struct LogContext {
  kube::Client& client;
  const LogSelection& selection;
  LogSink& sink;
  /// A run that ends within it is read once, at its end; one that goes on is followed from then on.
  std::chrono::milliseconds patience = {};
  NodeSlots slots = {};
  std::deque<LogSource> sources = {};  ///< a deque: their addresses stay
  std::optional<Error> failure = {};   ///< ends the command
  bool begun = false;                  ///< logs that are found from now on are new ones
};

}  // namespace kml::jobs
