#include "job/logs/container_runs.h"

namespace kml::job {

std::optional<ContainerRuns::Run> ContainerRuns::next() const {
  const bool first = run_.empty();
  if (is_gone_ || state_.run.empty() || state_.run == run_) return {};
  const bool only_before = selection_.previous;
  if (only_before && (!first || state_.run_before.empty())) return {};
  const int unread = first ? state_.restarts : state_.restarts - restart_ - 1;
  const bool wants_before = first ? !selection_.tail : unread > 0;
  Run run{state_.run, state_.restarts};
  if ((wants_before || only_before) && state_.run_before != run_ && !state_.run_before.empty())
    run = {state_.run_before, state_.restarts - 1};
  if (wants_before && !only_before) run.lost = first ? run.restart : run.restart - restart_ - 1;
  return run;
}

void ContainerRuns::begin(const Run& run) {
  run_ = run.id;
  restart_ = run.restart;
}

std::optional<ContainerExit> ContainerRuns::exit() const {
  if (!is_before()) return state_.exit;
  return is_lost() ? std::nullopt : state_.exit_before;
}

}  // namespace kml::job
