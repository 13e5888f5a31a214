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

/// A sweep or a pipeline's run whose engine runs in a cluster, as this machine last saw it.
struct EngineRecord {
  std::string id;    ///< submit-id of its objects
  std::string kind;  ///< "sweep", "run"
  std::string name, user, context, namespace_name;
  std::string version = {};  ///< resourceVersion of its ConfigMap
  std::string journal = {};  ///< the text of its journal so far

  /// The state according to the journal. Throw Error if it is broken, or if it is not of that kind.
  sweep::SweepState sweep() const;
  pipeline::RunState run() const;
};

/// Whether the journal of the record ends with the end of the sweep or run.
bool is_ended(const EngineRecord& record);

/// The records of engines: a file for each, with a line that describes it, and then its journal.
class EngineRecords {
 public:
  explicit EngineRecords(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The records of the current user: state_folder()/engines.
  static EngineRecords of_user();

  /// Replaces the record of that id.
  void write(const EngineRecord& record) const;
  /// Empty if there is none, or if it cannot be read.
  std::optional<EngineRecord> read(const std::string& id) const;
  std::vector<EngineRecord> read_all() const;

 private:
  std::filesystem::path folder_;
};

/// The record as a run. Its id is that of the record, because other clusters, and this machine, may have a
/// sweep or run with the same name.
TrackedRun tracked_engine(const EngineRecord& record, const job::RunNotes& notes);

}  // namespace kml::tracking
