#pragma once

#include <filesystem>
#include <string>

#include "kml/engine/watching/owned_objects.h"

namespace kml::engine {

/// A copy of the journal of an engine in the cluster. Other processes read the copy to show the engine's
/// progress. The engine's volume and log are not suitable: few users can read the volume, logs are rotated,
/// and pods are deleted. The copy is in the ConfigMaps kml-sweep-NAME-0, -1, … (or kml-run-NAME-0, …), each
/// with some of the records, compressed. Only the last ConfigMap changes. The engine's own ConfigMap owns the
/// others.
class JournalCopy {
 public:
  /// `owner` is the result of make_engine_object(). `client` must outlive the copy.
  JournalCopy(kube::Client& client, EngineMarks marks, Json owner, std::filesystem::path journal);

  /// Copies the new records. Throws Error if the server rejects them; the next call tries again.
  void update();

 private:
  void put();

  kube::Client& client_;
  const EngineMarks marks_;
  const Json owner_;
  const std::filesystem::path journal_;
  size_t read_ = 0;   ///< how many bytes of the journal the parts contain
  size_t part_ = 0;   ///< number of the last part
  std::string text_;  ///< the complete text of the last part
  size_t put_ = 0;    ///< how many bytes of `text_` the server already has
};

/// The copied records, as lines. Throws Error if a part is missing or damaged.
std::string read_journal_copy(kube::Client& client, const EngineMarks& marks);

}  // namespace kml::engine
