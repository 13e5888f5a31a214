#include "cli/sweep_view.h"

#include <algorithm>
#include <ostream>

#include "kml/ui/sweep_table.h"

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
  screen_.draw(ui::lines_of(context_.streams(), [&](const Streams& streams) {
    streams.out << ui::sweep_summary(engine.state(), now) << "\n";
    ui::print_trials(streams, engine.state(), &engine, std::max<size_t>(screen_.rows(), 6) - 4, true, now);
  }));
}

void SweepView::tell(const sweep::SweepState& state, const sweep::Trial& trial) {
  context_.streams().out << "trial " << trial.number << " " << trial.outcome;
  if (trial.value)
    context_.streams().out << "  " << state.spec().objective.metric << "=" << ui::number_text(*trial.value);
  context_.streams().out << "  " << ui::in_words(trial.values);
  if (!trial.cause.empty()) context_.streams().out << "  " << trial.cause.substr(0, trial.cause.find('\n'));
  context_.streams().out << std::endl;
}

}  // namespace kml::cli
