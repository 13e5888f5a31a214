#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/tracking/runs/tracked_run.h"
#include "live/commands/cluster_rows.h"
#include "live/commands/engines_there.h"
#include "live/commands/row_writer.h"
#include "sweep/commands/sweep_row.h"

namespace kml::cli {

/// The rows of runs, sweeps and pipelines of one context, from the records on this machine and, in a cluster,
/// from the copies of journals there.
class RecordRows {
 public:
  /// No watch uses `context`, so requests of this object do not disturb watches.
  RecordRows(Context& context, RowWriter& rows, LiveOutcomes& outcomes);

  /// Reads the changed files, and the submits whose jobs have changed. Sends no requests. If nothing has
  /// changed, this takes about a microsecond per sweep and run, so it may be called ten times a second.
  void update_files();
  /// Call this once the jobs have been listed, or cannot be listed. Until then, runs whose state depends on
  /// jobs have no rows, because their state would be shown as unknown.
  void show_open_runs();
  /// Reads the journals in the cluster. Throws Error if the cluster does not answer.
  void update_cluster();

 private:
  /// Changes with every write to a file. Zeros if the file does not exist.
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);
  /// A journal as it was when it was last read.
  struct Seen {
    Stamp stamp = {};
    std::string engine = {};  ///< the process that writes it; empty if there is none
    bool is_open = false;     ///< whether the sweep or run has not ended
  };
  /// The journals of sweeps, or of pipeline runs, each in a folder of its own.
  struct Journals {
    live::Table table;
    std::filesystem::path folder;
    Stamp folder_stamp = {};  ///< of `folder`, when its entries were last listed
    /// names and paths of the journals, some of which may not exist
    std::vector<std::pair<std::string, std::filesystem::path>> files = {};
    std::map<std::string, Seen> seen = {};  ///< by name
  };
  void list(Journals& journals);
  /// Reads each of the journals that has changed, or whose engine has, since the last call. Drops the rows of
  /// journals that no longer exist. `read` returns whether the sweep or run has not ended.
  void update(Journals& journals, const std::function<bool(const std::string& name)>& read);
  bool read_sweep(const std::string& name);
  bool read_pipeline(const std::string& name);
  void set_sweep(const std::string& id, const SweepRow& row, const sweep::SweepState& state);
  void set_pipeline(const std::string& id, const pipeline::RunState& state, bool is_left,
                    const std::string& engine);
  /// A submit whose jobs have no recorded outcome, with its row.
  struct OpenSubmit {
    job::Submission submit;  ///< only its id, is_open and outcomes, because a submit may have 10,000 jobs
    std::vector<std::string> jobs;  ///< job_key() of its jobs
    Json row;
    std::string order;
  };
  void update_submits();
  void read_submits();
  job::SubmissionOutcome outcome_now(const OpenSubmit& open) const;
  void set_open(OpenSubmit& open);
  static Json row_of_run(const tracking::TrackedRun& run);
  /// `order` is the time by which the runs are sorted.
  void set_run(const tracking::TrackedRun& run, Time order);
  void update_sweep(const std::string& id, const ClusterSweep& sweep);
  void update_run(const std::string& id, const ClusterEngine& run);
  /// An artifact of `kml artifact put` has no target, and is shown in each context.
  bool is_of_this_context(const Json& target) const;

  Context& context_;
  RowWriter& rows_;
  LiveOutcomes& outcomes_;
  Journals sweeps_, pipelines_;
  Stamp submits_stamp_;
  std::chrono::steady_clock::time_point next_submits_ = {}, next_close_look_ = {};
  bool looks_closely_ = true;
  std::set<std::string> submits_;  ///< submits that have a row, by id
  std::map<std::string, OpenSubmit> open_submits_;
  bool shows_open_ = false;
  EnginesThere sweeps_there_, runs_there_;
};

}  // namespace kml::cli
