#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::cli {

/// The sweeps, or the runs, in the cluster whose rows are shown. Tells which of their journals must be read
/// again.
class EnginesThere {
 public:
  /// Call this for each engine in a list of all. `object` is its ConfigMap. Returns false if the engine is
  /// over, and was neither resumed nor replaced since.
  bool must_read(const std::string& id, const Json& object);
  /// Notes that the journal has its last record, and that no process continues it.
  void end(const std::string& id) { seen_[id].is_over = true; }
  /// The engines that no longer exist. Call this after each list.
  std::vector<std::string> take_gone();

 private:
  struct Seen {
    std::string version;
    bool is_over = false, is_there = true;
  };
  std::map<std::string, Seen> seen_;  ///< by id
};

}  // namespace kml::cli
