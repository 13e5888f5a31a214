#include "sweep/commands/sweep_row.h"

#include "kml/base/error.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/tables/sweep_table.h"
#include "sweep/commands/sweep_selection.h"

namespace kml::cli {

namespace {

/// In a few words, why the sweep ended; "running" if it has not. `status` prints the details.
std::string in_brief(const sweep::SweepState& state) {
  return state.end().reason.empty() ? "running" : state.end().reason.substr(0, state.end().reason.find(": "));
}

SweepRow row_of(const std::string& name, const sweep::SweepState& state, std::string state_in_brief,
                std::string where) {
  SweepRow row{name, std::move(where), std::move(state_in_brief)};
  row.ended = state.lists().ended.size();
  row.planned = ui::planned_trials(state);
  row.metric = state.spec().objective.metric;
  if (state.best()) row.best = state.trials()[*state.best()].value;
  if (state.spec().has_front()) row.front = state.front().size();
  row.begun = state.sessions().begun;
  return row;
}

/// An error about a journal in brief: "line 3 of the journal is damaged" or "the journal was written by a
/// newer kml".
std::string fault_in_brief(const std::string& name, const Error& error) {
  std::string text = error.message;
  const std::string file = (sweep::sweep_folder(name) / "journal.jsonl").string();
  if (const size_t at = text.find(file); at != std::string::npos)
    text.replace(at, file.size(), "the journal");
  return text;
}

}  // namespace

SweepRow sweep_row(Context& context, const std::string& name, sweep::SweepState* read) {
  try {
    sweep::SweepState state = state_of(context, name);
    SweepRow row =
        row_of(name, state, is_left(name, state) ? left_in_words(name) : in_brief(state), "this machine");
    row.engine = sweep::writer_of(sweep::sweep_folder(name)).value_or("");
    if (read) *read = std::move(state);
    return row;
  } catch (const Error& error) {
    return {name, "this machine", "", fault_in_brief(name, error)};
  }
}

SweepRow sweep_row(Context& context, const ClusterSweep& sweep, sweep::SweepState* read) {
  sweep::SweepState state;
  read_cluster_sweep(context, sweep, [&](const sweep::Record& record) { state.apply(record); });
  SweepRow row = row_of(sweep.marks.name, state, in_brief(state), "in the cluster");
  if (read) *read = std::move(state);
  return row;
}

Json to_json(const SweepRow& row) {
  if (!row.fault.empty()) return {{"name", row.name}, {"engine", row.where}, {"error", row.fault}};
  Json object = {{"name", row.name},
                 {"engine", row.where},
                 {"state", row.state},
                 {"trials", {{"ended", row.ended}, {"planned", row.planned}}},
                 {"objective", row.metric},
                 {"best", or_null(row.best)},
                 {"begun", rfc3339(row.begun)},
                 {"process", row.engine.empty() ? Json() : Json(row.engine)}};
  if (row.front) object["front"] = *row.front;
  return object;
}

}  // namespace kml::cli
