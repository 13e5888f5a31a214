#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kml/job/logs/logs.h"

namespace kml::job {

/// Limits how many logs are followed on one node at a time. Each followed log that is idle uses an inotify
/// instance on its node. The kernel allows 128 instances per user by default (fs.inotify.max_user_instances),
/// and the kubelet itself uses some. When none is left, no log on that node can be followed.
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

/// Holds a slot on one node. At first, it holds none.
class NodeSlot {
 public:
  NodeSlot(NodeSlots& slots, const std::string& node) : slots_(slots), node_(node) {}
  ~NodeSlot() { release(); }
  NodeSlot(const NodeSlot&) = delete;

  bool take() { return is_taken_ = slots_.take(node_); }
  void release() {
    if (std::exchange(is_taken_, false)) slots_.give_back(node_);
  }
  bool is_taken() const { return is_taken_; }

 private:
  NodeSlots& slots_;
  const std::string& node_;
  bool is_taken_ = false;
};

/// State that all logs in one command share.
struct LogContext {
  kube::Client& client;
  const LogSelection& selection;
  LogSink& sink;
  /// A run that ends within this time is read once, after its end. A longer run is followed after this time.
  std::chrono::milliseconds patience = {};
  NodeSlots slots = {};
  std::deque<LogSource> sources = {};  ///< a deque, so that the addresses of its elements stay valid
  std::optional<Error> failure = {};   ///< the error that ends the command
  bool begun = false;                  ///< whether logs that are found from now on are new
  /// Whether the log of a run that has succeeded without a line is read again a moment later. containerd
  /// writes the last lines in a goroutine of its own, which on a busy node may come after the run's end
  /// (containerd's pkg/cri/io/logger.go).
  bool looks_twice = false;
};

}  // namespace kml::job
