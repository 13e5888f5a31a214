#include "cli/sweep_view.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "kml/sweep/journal/record.h"
#include "kml/ui/sweep_table.h"
#include "kml/ui/table.h"

namespace kml::cli {

void SweepView::show(const sweep::Engine& engine) {
  if (context_.streams().out_is_terminal) return draw(engine);
  const auto& state = engine.state();
  if (!begun_) told_ = state.ended().size();
  begun_ = true;
  for (; told_ < state.ended().size(); ++told_) tell(state, state.trials()[state.ended()[told_]]);
}

void SweepView::end() {
  if (context_.streams().out_is_terminal) screen_.end();
}

void SweepView::draw(const sweep::Engine& engine) {
  const Time now = system_clock().now();
  const sweep::SweepState& state = engine.state();
  screen_.draw(ui::lines_of(context_.streams(), [&](const Streams& streams) {
    const std::vector<std::string> summary = ui::wrapped(ui::sweep_summary(state, now), screen_.columns());
    for (const std::string& line : summary) streams.out << line << "\n";
    size_t lines = summary.size() + 3;
    if (const std::vector<double> best = ui::best_so_far(state); best.size() > 1) {
      streams.out << "best so far " << ui::sparkline(best, 30, ui::locale_is_utf8()) << "  "
                  << ui::number_text(best.front()) << " to " << ui::number_text(best.back()) << "\n";
      ++lines;
    }
    if (const std::string rungs = ui::rungs_in_words(state); !rungs.empty()) {
      streams.out << rungs << "\n";
      ++lines;
    }
    if (const std::string waits = ui::waits_in_words(engine.waits()); !waits.empty()) {
      streams.out << waits << "\n";
      ++lines;
    }
    ui::print_trials(streams, state, &engine, engine.waits(), std::max(screen_.rows(), lines + 2) - lines,
                     true, now);
  }));
}

void SweepView::tell(const sweep::SweepState& state, const sweep::Trial& trial) {
  context_.streams().out << "trial " << trial.number << " " << sweep::in_words(*trial.outcome);
  if (trial.value)
    context_.streams().out << "  " << state.spec().objective.metric << "=" << ui::number_text(*trial.value);
  context_.streams().out << "  " << ui::in_words(state.spec(), trial.values);
  if (!trial.cause.empty()) context_.streams().out << "  " << ui::in_a_line(trial.cause);
  context_.streams().out << std::endl;
}

void show_log_hint(Context& context, const sweep::SweepState& state) {
  using sweep::Outcome;
  static const std::set<Outcome> kWithLog = {Outcome::failed, Outcome::no_metric, Outcome::out_of_memory,
                                             Outcome::diverged};
  const auto found = std::find_if(state.ended().rbegin(), state.ended().rend(), [&](std::uint64_t number) {
    return kWithLog.contains(*state.trials()[number].outcome);
  });
  if (found == state.ended().rend()) return;
  context.note("trial " + std::to_string(*found) + ": " +
               std::string(sweep::in_words(*state.trials()[*found].outcome)) + "; `kml sweep logs " +
               state.spec().name + " " + std::to_string(*found) + "` prints its log");
}

}  // namespace kml::cli
