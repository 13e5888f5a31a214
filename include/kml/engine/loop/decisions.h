#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kml/base/clock.h"
#include "kml/engine/journal/record_journal.h"
#include "kml/engine/loop/runner.h"

namespace kml::engine {

/// The decisions of an engine, and the jobs that it starts and stops as a result. Each decision is added to
/// the journal and applied to the state in one step. carry_out() commits the journal before it starts or
/// stops anything. So after a crash, the next engine finds in the journal everything that may have been
/// started.
template <typename Record, typename Job>
class Decisions {
 public:
  using What = decltype(Record::what);

  /// `apply` changes the engine's state. All arguments must outlive this object.
  Decisions(RecordJournal<Record>& journal, const Clock& clock, TakeRecord<Record> apply)
      : journal_(journal), clock_(clock), apply_(std::move(apply)) {}

  /// Applies the decisions of earlier engines.
  void replay() const { journal_.read(apply_); }

  void decide(const Record& record) {
    apply_(record);
    journal_.add(record);
  }
  void decide(What what) { decide(Record{clock_.now(), std::move(what)}); }

  void start(Job job) { to_start_.push_back(std::move(job)); }
  /// Passes these jobs, and no others, to the runner in one call.
  void start_together(std::vector<Job> jobs) { groups_to_start_.push_back(std::move(jobs)); }
  void stop(std::string job) { to_stop_.push_back(std::move(job)); }

  /// Starts and stops the jobs. If there are no jobs to start or stop, does not commit: the other records are
  /// observations, which can be made again.
  void carry_out(Runner<Job>& runner) {
    journal_.flush();
    journal_.show_life(clock_);
    if (groups_to_start_.empty() && to_start_.empty() && to_stop_.empty()) return;
    journal_.commit();
    for (const std::vector<Job>& jobs : std::exchange(groups_to_start_, {})) runner.start(jobs);
    if (!to_start_.empty()) runner.start(std::exchange(to_start_, {}));
    for (const std::string& job : std::exchange(to_stop_, {})) runner.stop(job);
  }
  void commit() { journal_.commit(); }

  Time now() const { return clock_.now(); }

 private:
  RecordJournal<Record>& journal_;
  const Clock& clock_;
  const TakeRecord<Record> apply_;
  std::vector<Job> to_start_;
  std::vector<std::vector<Job>> groups_to_start_;
  std::vector<std::string> to_stop_;
};

}  // namespace kml::engine
