#include "sweep/commands/sweep_view.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "kml/local/daemon.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/sparkline.h"
#include "kml/ui/table.h"
#include "sweep/runner/waiting_trials.h"
#include "sweep/tables/sweep_stopping.h"

namespace kml::cli {

void SweepView::show(const sweep::SweepState& state, const sweep::Engine* engine, const ui::Waits& waits) {
  if (context_.streams().out_is_terminal) return draw(state, engine, waits);
  if (!begun_) told_ = state.lists().ended.size();
  begun_ = true;
  for (; told_ < state.lists().ended.size(); ++told_) tell(state, state.trials()[state.lists().ended[told_]]);
}

void SweepView::end() {
  if (context_.streams().out_is_terminal) screen_.end();
}

void SweepView::draw(const sweep::SweepState& state, const sweep::Engine* engine, const ui::Waits& waits) {
  const Time now = system_clock().now();
  screen_.draw(ui::lines_of(context_.streams(), [&](const Streams& streams) {
    const std::vector<std::string> summary = ui::wrapped(ui::sweep_summary(state, now), screen_.columns());
    for (const std::string& line : summary) streams.out << line << "\n";
    size_t lines = summary.size() + 3;
    if (const std::vector<double> best = ui::best_so_far(state); best.size() > 1) {
      streams.out << "best so far " << ui::sparkline(best, 30, ui::locale_is_utf8()) << "  "
                  << ui::number_text(best.front()) << " to " << ui::number_text(best.back()) << "\n";
      ++lines;
    }
    for (const std::string& bracket : ui::StoppingReport(state).bracket_lines())
      for (const std::string& line : ui::wrapped(bracket, screen_.columns())) {
        streams.out << line << "\n";
        ++lines;
      }
    if (const std::string causes = ui::waits_in_words(waits); !causes.empty()) {
      streams.out << causes << "\n";
      ++lines;
    }
    ui::print_trials(streams, state, engine, waits, std::max(screen_.rows(), lines + 2) - lines, true, now);
  }));
}

void SweepView::tell(const sweep::SweepState& state, const sweep::Trial& trial) {
  context_.streams().out << "trial " << trial.number << " " << sweep::in_words(*trial.outcome);
  if (const std::string values = ui::values_in_words(state.spec(), trial); !values.empty())
    context_.streams().out << "  " << values;
  context_.streams().out << "  " << ui::in_words(state.spec(), trial.values);
  if (!trial.cause.empty()) context_.streams().out << "  " << ui::in_a_line(trial.cause);
  context_.streams().out << std::endl;
}

ui::Waits waits_of(Context& context, const sweep::SweepState& state) {
  ui::Waits waits;
  const bool any = std::any_of(state.lists().running.begin(), state.lists().running.end(),
                               [&](std::uint64_t number) { return !state.trials()[number].is_seen; });
  if (!state.end().reason.empty() || !any || (context.place().is_local && !local::status({}).running))
    return waits;
  try {
    const std::string& where = context.target().namespace_name;
    const bool is_indexed = state.spec().is_indexed;
    // The first list has jobs that may have been preempted, and the second has jobs that have never run.
    std::vector<std::vector<std::string>> jobs(2);
    for (const std::uint64_t number : state.lists().running)
      if (const sweep::Trial& trial = state.trials()[number]; !trial.is_seen)
        jobs[trial.began || is_indexed ? 0 : 1].push_back(trial.job);
    const auto causes = sweep::waiting_trials(context.client(), where, state.spec().name, jobs, is_indexed);
    for (const auto& [job, cause] : causes)
      if (const sweep::Trial* trial = state.find(job); trial && trial->job == job)
        waits[trial->number] = cause;
  } catch (const Error&) {
    // If the server does not respond, the view only shows data from the journal.
  }
  return waits;
}

void show_log_hint(Context& context, const sweep::SweepState& state) {
  using sweep::Outcome;
  static const std::set<Outcome> kWithLog = {Outcome::failed, Outcome::no_metric, Outcome::out_of_memory,
                                             Outcome::diverged};
  const auto found =
      std::find_if(state.lists().ended.rbegin(), state.lists().ended.rend(),
                   [&](std::uint64_t number) { return kWithLog.contains(*state.trials()[number].outcome); });
  if (found == state.lists().ended.rend()) return;
  context.note("trial " + std::to_string(*found) + ": " +
               std::string(sweep::in_words(*state.trials()[*found].outcome)) + "; `kml sweep logs " +
               state.spec().name + " " + std::to_string(*found) + "` prints its log");
}

}  // namespace kml::cli
