#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/polled_process.h"
#include "live/model/tables.h"

namespace kml::live {

/// A kml process that prints the changes of one cluster: `kml ui -o json` with that cluster's flags.
struct Source {
  std::string cluster;              ///< the name of the cluster's context
  std::vector<std::string> argv;    ///< the process
  std::string namespace_name = {};  ///< see Cluster
};

/// All tables, kept up to date by one kml process for each cluster. So a slow or dead cluster holds up
/// neither the others nor the screen, and a fault ends only that process, which is then started again.
class Model {
 public:
  explicit Model(std::vector<Source> sources);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Descriptors that become readable when changes have arrived. Call this again before each wait.
  std::vector<int> fds() const;
  /// How long a wait for these descriptors may last, so that a process that has ended is started again in
  /// time.
  std::chrono::milliseconds longest_wait() const;
  /// Takes in some of what has arrived, without waiting, and returns the changes. Takes a few milliseconds at
  /// most: call it again if has_more().
  std::vector<Change> update();
  bool has_more() const;

  Tables& tables() { return tables_; }

 private:
  struct Feed;
  void start(Feed& feed);
  void read(Feed& feed, std::vector<Change>& changes);
  void take(Feed& feed, std::vector<Change>& changes);
  void take(Feed& feed, Change change, std::vector<Change>& changes);
  void lose(Feed& feed, std::vector<Change>& changes);

  Tables tables_;
  std::vector<std::unique_ptr<Feed>> feeds_;
};

}  // namespace kml::live
