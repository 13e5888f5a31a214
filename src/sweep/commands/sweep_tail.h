#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/journal.h"

namespace kml::cli {

/// A sweep on this machine whose engine may add to its journal. Reads each record only once, because a
/// journal may have many records.
class SweepTail {
 public:
  /// Throws Error if the sweep has no journal on this machine.
  explicit SweepTail(const std::string& name);

  /// Applies the records that were added since the last call. Throws Error if the sweep was deleted.
  void read_into(sweep::SweepState& state);
  bool has_engine() const;

 private:
  const std::string name_;
  sweep::JournalTail journal_;
};

/// The trials of a sweep on this machine, as far as its engine has started them.
class TrialsSoFar {
 public:
  explicit TrialsSoFar(const std::string& name) : tail_(name) {}

  /// Whether the job is a trial's or, in an indexed sweep, that of several trials.
  bool have(const Json& job);
  /// Whether no more trials will start.
  bool are_complete();

 private:
  SweepTail tail_;
  sweep::SweepState state_;
};

}  // namespace kml::cli
