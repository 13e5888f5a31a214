#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "cli/context.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/tracking/runs/tracked_run.h"
#include "live/commands/cluster_rows.h"
#include "live/commands/row_writer.h"
#include "sweep/commands/sweep_row.h"

namespace kml::cli {

/// The rows of runs, sweeps and pipelines of one context, from the records on this machine and, in a cluster,
/// from the copies of journals there.
class RecordRows {
 public:
  /// No watch uses `context`, so requests of this object do not disturb watches.
  RecordRows(Context& context, RowWriter& rows, LiveOutcomes& outcomes)
      : context_(context), rows_(rows), outcomes_(outcomes) {}

  /// Reads the changed files, and the submits whose jobs have changed. Sends no requests.
  void update_files();
  /// Call this once the jobs have been listed, or cannot be listed. Until then, runs whose state depends on
  /// jobs have no rows, because their state would be shown as unknown.
  void show_open_runs();
  /// Reads the journals in the cluster. Throws Error if the cluster does not answer.
  void update_cluster();

 private:
  /// Reads each of the journals that has changed since the last call. Drops the rows of journals that no
  /// longer exist.
  struct Journals {
    live::Table table;
    /// the stamp of each journal when it was last read, by name
    std::map<std::string, std::string> seen = {};
    std::set<std::string> open = {};  ///< the names of the journals of runs that have not ended
  };
  void update(Journals& journals, const std::vector<std::string>& names,
              const std::function<std::string(const std::string& name)>& stamp,
              const std::function<void(const std::string& name)>& read);
  void read_sweep(const std::string& name);
  void read_pipeline(const std::string& name);
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
  void set_run(const tracking::TrackedRun& run);
  bool is_of_this_context(const Json& target) const;

  Context& context_;
  RowWriter& rows_;
  LiveOutcomes& outcomes_;
  Journals sweeps_{live::Table::sweeps}, pipelines_{live::Table::pipelines};
  std::string submits_stamp_;
  std::chrono::steady_clock::time_point submits_read_ = {};
  std::set<std::string> submits_;  ///< submits that have a row, by id
  std::map<std::string, OpenSubmit> open_submits_;
  bool shows_open_ = false;
  /// ids of ended sweeps and runs in the cluster, whose rows no longer change
  std::set<std::string> ended_there_;
};

}  // namespace kml::cli
