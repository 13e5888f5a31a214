#include "sweep/engine/early_stops.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace kml::sweep {

void EarlyStops::take_metric(const Trial& trial, const TrialReport& report) {
  const Progress* progress = measurements_.progress(trial.number);
  const double before = progress && progress->has_value() ? progress->last_step() : 0;
  measurements_.add(trial, report);
  const bool counts = report.metric == state_.spec().objective.metric && report.step > before;
  if (counts && stops_.rule != StopRule::none && !state_.spec().stopping.promote)
    consider(trial, before, report.step);
}

bool EarlyStops::has_passed_rung(const Trial& trial, double before, double resource) const {
  const std::vector<double> levels = rungs(stops_, bracket_of(stops_, trial.number));
  return std::any_of(levels.begin(), levels.end(), [&](double rung) {
    return before < rung && trial.judged < rung && rung <= resource && rung < stops_.max;
  });
}

/// Decides whether to stop a trial. A rule with rungs judges a trial that has just passed a rung; median
/// judges at any point. If a log is read again, the trial again passes rungs at which it was already judged;
/// the earlier decisions are kept.
void EarlyStops::consider(const Trial& trial, double before, double resource) {
  if (ends_.is_ending(trial)) return;
  if (has_rungs(stops_.rule) && !has_passed_rung(trial, before, resource)) return;
  const std::optional<Verdict> verdict =
      judge(stops_, measurements_.observation(trial), resource, measurements_.all_observations());
  if (!verdict) return;
  note_verdict(trial, *verdict);
  const double value = measurements_.progress(trial.number)->all().at(resource);
  if (std::isfinite(value) && (verdict->stops || has_rungs(stops_.rule)))
    decisions_.decide(
        record::Rung{trial.number, resource, value,
                     verdict->stops ? record::Rung::Decision::stop : record::Rung::Decision::go});
  if (verdict->stops) ends_.end_early(trial, std::isfinite(value) ? Outcome::pruned : Outcome::diverged);
}

/// Records how the trial compared with others. With median, each report is judged, so this is only recorded
/// at the first report, when the trial is stopped, when it has come twice as far as at its last record, and
/// when the median becomes known.
void EarlyStops::note_verdict(const Trial& trial, const Verdict& verdict) {
  const bool is_news = verdict.stops || has_rungs(stops_.rule) || !trial.judgement ||
                       verdict.cutoff.has_value() != trial.judgement->cutoff.has_value() ||
                       verdict.resource >= 2 * trial.judgement->resource;
  if (is_news) decisions_.decide(judged(trial.number, verdict, state_.spec().objective));
}

}  // namespace kml::sweep
