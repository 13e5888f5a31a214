#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kml/pipeline/engine/run_state.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

/// A sweep or pipeline run whose engine runs in a cluster, as this machine last saw it.
struct EngineRecord {
  std::string id;    ///< the submit-id of its objects
  std::string kind;  ///< "sweep", "run"
  std::string name, user, context, namespace_name;
  std::string version = {};  ///< the resourceVersion of its ConfigMap
  std::string journal = {};  ///< the text of its journal up to now

  /// The state according to the journal. These functions throw Error if the journal is broken, or of a
  /// different kind.
  sweep::SweepState sweep() const;
  pipeline::RunState run() const;
};

/// Whether the journal in the record is complete, because the sweep or run has ended.
bool is_ended(const EngineRecord& record);

/// The records of engines. Each is a file with a line that describes the engine, followed by its journal.
class EngineRecords {
 public:
  explicit EngineRecords(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The current user's records, in state_folder()/engines.
  static EngineRecords of_user();

  /// Replaces the record with the same id.
  void write(const EngineRecord& record) const;
  /// The record; empty if it does not exist or cannot be read.
  std::optional<EngineRecord> read(const std::string& id) const;
  std::vector<EngineRecord> read_all() const;

 private:
  std::filesystem::path folder_;
};

/// The record in the form of a run. It has the record's id, because on other clusters and on this machine, a
/// sweep or run may have the same name.
TrackedRun tracked_engine(const EngineRecord& record, const job::RunNotes& notes);

}  // namespace kml::tracking
