#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "job/queue/queue.h"
#include "kml/base/clock.h"
#include "kml/job/records/records.h"
#include "live/commands/row_writer.h"

namespace kml::cli {

/// The states of jobs that kml submitted, by submit-id and job_key(). Keeps the states of submits that were
/// passed to want(), and of the latest other submits, because a job may be seen before its submit's record is
/// read.
class LiveOutcomes {
 public:
  using ByJob = std::map<std::string, job::Outcome>;

  void want(std::set<std::string> submits) { wanted_ = std::move(submits); }
  void see(const std::string& submit, const std::string& job_key, job::Outcome outcome);
  /// The states of a submit's jobs; null if none was seen.
  const ByJob* of(const std::string& submit) const;
  /// The submits whose jobs have changed since the last call.
  std::set<std::string> take_changed() { return std::exchange(changed_, {}); }

 private:
  std::map<std::string, ByJob> by_submit_;
  std::deque<std::string> latest_;
  std::set<std::string> wanted_, changed_;
};

/// The rows of jobs and nodes, from a packed queue.
class ClusterRows {
 public:
  explicit ClusterRows(RowWriter& rows) : rows_(rows) {}

  /// Prints the jobs that have changed.
  void update(job::QueueState& state);
  /// Prints the nodes, if they or the holders of their GPUs may have changed.
  void update_nodes(const job::QueueState& state);
  void nodes_changed() { nodes_changed_ = true; }
  /// Call this when a new watch will set all jobs again.
  void begin();
  /// Call this when all jobs were set.
  void end() { rows_.end(live::Table::jobs); }

  LiveOutcomes& outcomes() { return outcomes_; }
  /// The jobs of schedules, by the id of the job's line in the queue.
  const std::map<std::string, Json>& of_schedules() const { return of_schedules_; }
  bool take_schedules_changed() { return std::exchange(schedules_changed_, false); }

 private:
  void take(const job::QueueChange& change);
  void hold(const job::QueueChange& change);
  void remember(const job::QueueChange& change, const Json& job);

  RowWriter& rows_;
  LiveOutcomes outcomes_;
  /// pods with GPUs, by the id of their line
  std::map<std::string, std::vector<std::pair<std::string, Json>>> holders_;
  std::map<std::string, Json> of_schedules_;
  bool schedules_changed_ = false, nodes_changed_ = true;
};

}  // namespace kml::cli
