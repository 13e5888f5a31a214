#include "kml/sweep/tables/sweep_table.h"

#include <algorithm>
#include <map>

#include "kml/base/text.h"
#include "kml/sweep/stopping/stopping.h"
#include "kml/ui/table.h"

namespace kml::ui {

std::vector<double> best_so_far(const sweep::SweepState& state) {
  if (state.spec().has_front()) return {};
  const sweep::Objective& objective = state.spec().objective;
  std::vector<double> values;
  for (const std::uint64_t number : state.lists().ended) {
    const sweep::Trial& trial = state.trials()[number];
    const bool counts = trial.state == sweep::TrialState::complete && trial.value;
    if (counts && (values.empty() || objective.cost(*trial.value) < objective.cost(values.back())))
      values.push_back(*trial.value);
    else if (!values.empty())
      values.push_back(values.back());
  }
  return values;
}

std::uint64_t planned_trials(const sweep::SweepState& state) {
  std::uint64_t planned = state.spec().budget.trials;
  if (const auto size = state.space().size()) planned = std::min(planned, *size);
  // Constraints may exclude some points. Only at the end is it known how many.
  const bool is_over = !state.end().reason.empty() && state.lists().ended.size() == state.trials().size();
  const bool ended_there = is_over && state.end().kind == sweep::record::End::Kind::space_tried;
  return ended_there ? state.trials().size() : planned;
}

std::vector<double> rungs_of(const sweep::Stopping& stopping) {
  return sweep::has_rungs(stopping.rule) ? sweep::rungs(sweep::stop_options(stopping))
                                         : std::vector<double>();
}

std::vector<std::string> rung_plan(const sweep::SweepSpec& spec) {
  const sweep::Stopping& stopping = spec.stopping;
  if (!sweep::has_rungs(stopping.rule)) return {};
  const sweep::StopOptions options = sweep::stop_options(stopping);
  constexpr std::uint64_t kMostCounted = 10'000;
  const std::uint64_t counted = std::min(spec.budget.trials, kMostCounted);
  std::map<int, std::uint64_t> trials;  // the number of trials in each bracket
  for (std::uint64_t trial = 0; trial < counted; ++trial) ++trials[sweep::bracket_of(options, trial)];
  std::vector<std::string> lines;
  for (const auto& [bracket, count] : trials) {
    std::vector<std::string> ladder;
    for (const double rung : sweep::rungs(options, bracket)) ladder.push_back(number_text(rung));
    lines.push_back("bracket " + std::to_string(bracket) + ": rungs of " + stopping.resource + ": " +
                    join(ladder, ", ") + " (" + std::to_string(count * spec.budget.trials / counted) +
                    " trials)");
  }
  return lines;
}

std::optional<nanoseconds> time_left(const sweep::SweepState& state, Time now) {
  const sweep::Budget& budget = state.spec().budget;
  const size_t ended = state.lists().ended.size();
  const std::uint64_t trials = planned_trials(state);
  // Before the first trials have ended, it is unknown how long a trial takes.
  const auto first_ones = std::min<std::uint64_t>(static_cast<std::uint64_t>(state.spec().parallel), trials);
  if (!state.end().reason.empty() || ended < first_ones || ended >= trials) return std::nullopt;
  // On average, half of a running trial is done.
  const double done = static_cast<double>(ended) + static_cast<double>(state.lists().running.size()) / 2;
  const std::chrono::duration<double> used = state.sessions().wall_time(now);
  std::chrono::duration<double> left = used * (static_cast<double>(trials) - done) / done;
  if (budget.wall_time) left = std::min(left, std::chrono::duration<double>(*budget.wall_time) - used);
  return std::chrono::duration_cast<nanoseconds>(std::max(left, std::chrono::duration<double>(0)));
}

}  // namespace kml::ui
