#include "sweep/commands/sweep_tail.h"

#include <algorithm>
#include <string_view>

#include "kml/base/error.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

bool has_object(const sweep::SweepState& state, const std::string& name) {
  if (!state.spec().is_indexed) {
    const sweep::Trial* trial = state.find(name);
    return trial && trial->job == name;
  }
  return std::ranges::any_of(state.trials(), [&](const sweep::Trial& trial) {
    return std::string_view(trial.job).substr(0, trial.job.rfind('-')) == name;
  });
}

}  // namespace

SweepTail::SweepTail(const std::string& name) : name_(name), journal_(sweep::sweep_folder(name)) {}

void SweepTail::read_into(sweep::SweepState& state) {
  if (journal_.read([&](const sweep::Record& record) { state.apply(record); })) return;
  throw Error(ErrorCode::failure, "sweep " + name_ + " was deleted meanwhile");
}

bool SweepTail::has_engine() const {
  return sweep::writer_of(sweep::sweep_folder(name_)).has_value();
}

bool TrialsSoFar::have(const Json& job) {
  tail_.read_into(state_);
  return has_object(state_, api::name_of(job));
}

bool TrialsSoFar::are_complete() {
  // asked before the journal is read, because the engine may end after writing its last record
  const bool has_engine = tail_.has_engine();
  tail_.read_into(state_);
  return !has_engine || !state_.end().reason.empty();
}

}  // namespace kml::cli
