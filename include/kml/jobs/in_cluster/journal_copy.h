#pragma once

#include <filesystem>
#include <string>

#include "kml/jobs/watching/owned_objects.h"

namespace kml::jobs {

/// A copy of the journal of an engine that runs in the cluster, for those who ask how it goes: the volume
/// that holds the journal can be read by few, a log is rotated, and a pod goes. It is in ConfigMaps
/// kml-sweep-NAME-0, -1, …, each with some records, compressed; none but the last changes. They belong to the
/// engine's own ConfigMap.
class JournalCopy {
 public:
  /// `owner` as make_engine_object() returned it; `client` must outlive the copy.
  JournalCopy(kube::Client& client, EngineMarks marks, Json owner, std::filesystem::path journal);

  /// Copies what was added since. Throws Error if the server does not take it; the next call tries again.
  void update();

 private:
  void put();

  kube::Client& client_;
  const EngineMarks marks_;
  const Json owner_;
  const std::filesystem::path journal_;
  size_t read_ = 0;   ///< bytes of the journal that are in parts
  size_t part_ = 0;   ///< the last one's number
  std::string text_;  ///< in it, as it is to be
  size_t put_ = 0;    ///< bytes of `text_` that the server has
};

/// The copied records, as lines. Throws Error if a part is missing or broken.
std::string read_journal_copy(kube::Client& client, const EngineMarks& marks);

}  // namespace kml::jobs
