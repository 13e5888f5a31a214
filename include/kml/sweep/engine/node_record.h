#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kml::sweep {

/// The nodes on which trials had results, and the nodes on which trials failed.
class NodeRecord {
 public:
  void note_result(const std::string& node);
  /// Records that an attempt on the node failed, and that the cluster did not end it.
  void note_failure(const std::string& node) { ++failures_[node]; }
  /// Records that a trial on the node ended without a result.
  void note_failed_trial(const std::string& node) { failed_on_.push_back(node); }
  /// Resets the count of consecutive failures.
  void begin_row() { failed_on_.clear(); }

  /// How many trials have failed since the last one that did not fail.
  int failures_in_a_row() const { return static_cast<int>(failed_on_.size()); }
  /// Nodes on which at least two attempts have failed since a trial last had a result there.
  std::vector<std::string> bad() const;
  /// Whether some trials failed in a row, and all of them ran on the same bad node.
  bool has_one_failed() const;
  /// Whether a trial had a result on a node that is not bad, or is running on one. `running_on` has the nodes
  /// of the running trials.
  bool has_good(const std::vector<std::string>& running_on) const;

 private:
  std::map<std::string, int> failures_;  ///< failures since the node's last result, by node
  std::set<std::string> good_;           ///< nodes on which a trial had a result
  std::vector<std::string> failed_on_;   ///< the nodes of the latest trials, all of which failed
};

}  // namespace kml::sweep
