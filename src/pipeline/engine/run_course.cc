#include "pipeline/engine/run_course.h"

#include <algorithm>

namespace kml::pipeline {

bool RunCourse::goes_on(const Step& step) const {
  return step.at_exit || (!is_stopping_ && run_.state_of(step).not_before != Time{});
}

/// Whether no other step may start, because a step has failed. A run with keepsGoing starts all steps that it
/// can.
bool RunCourse::must_halt() const {
  return !run_.head().keeps_going && has_needed_failed();
}

bool RunCourse::has_needed_failed() const {
  return std::ranges::any_of(run_.places().in(Phase::failed), [&](size_t place) {
    return !run_.step_at(place).continues && !run_.step_at(place).at_exit;
  });
}

Outcome RunCourse::outcome() const {
  if (is_stopping_ || !run_.places().in(Phase::cancelled).empty()) return Outcome::stopped;
  return has_needed_failed() ? Outcome::failed : Outcome::succeeded;
}

Outcome RunCourse::last_outcome() const {
  const bool has_exit_failed = std::ranges::any_of(run_.places().in(Phase::failed), [&](size_t place) {
    return run_.step_at(place).at_exit && !run_.step_at(place).continues;
  });
  const Outcome ended = outcome();
  return ended == Outcome::succeeded && has_exit_failed ? Outcome::failed : ended;
}

}  // namespace kml::pipeline
