#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kml::sweep {

/// The nodes on which trials had results, and those on which they failed.
class NodeRecord {
 public:
  void note_result(const std::string& node);
  /// An attempt failed there by itself.
  void note_failure(const std::string& node) { ++failures_[node]; }
  /// A trial ended there without a result.
  void note_failed_trial(const std::string& node) { failed_on_.push_back(node); }
  /// Resets the count of consecutive failures.
  void begin_row() { failed_on_.clear(); }

  /// The number of consecutive failed trials, up to the last one.
  int failures_in_a_row() const { return static_cast<int>(failed_on_.size()); }
  /// Nodes on which at least the last two trials failed.
  std::vector<std::string> bad() const;
  /// Whether all failed trials in a row ran on the same bad node.
  bool has_one_failed() const;
  /// Whether a trial had a result on a node that is not bad, or runs on one: `running_on` has their nodes.
  bool has_good(const std::vector<std::string>& running_on) const;

 private:
  std::map<std::string, int> failures_;  ///< by node: since its last result
  std::set<std::string> good_;           ///< nodes on which a trial had a result
  std::vector<std::string> failed_on_;   ///< nodes of the latest trials, which all failed
};

}  // namespace kml::sweep
