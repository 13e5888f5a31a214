#pragma once

#include <map>
#include <string>

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

}  // namespace kml::jobs
