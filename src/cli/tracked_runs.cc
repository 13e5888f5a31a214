#include "cli/tracked_runs.h"

#include <algorithm>

#include "cli/run_outcomes.h"
#include "cli/sweep_selection.h"
#include "kml/core/text.h"
#include "kml/pipeline/runs.h"

namespace kml::cli {

namespace {

/// Limits the requests for outcomes and logs.
constexpr size_t kMostLookedUp = 50;

void add_submits(Context& context, size_t most, std::map<std::string, jobs::RunNotes>& notes,
                 std::vector<jobs::TrackedRun>& found) {
  std::vector<jobs::Run> runs = jobs::RunRecords::of_user().read(most);
  const size_t old = runs.size() - std::min(runs.size(), kMostLookedUp);
  std::vector<jobs::Run> newest(std::make_move_iterator(runs.begin() + static_cast<std::ptrdiff_t>(old)),
                                std::make_move_iterator(runs.end()));
  runs.resize(old);
  if (!newest.empty()) {
    look_up_outcomes(context, newest);
    look_up_metrics(context, newest, notes);
  }
  for (std::vector<jobs::Run>* part : {&runs, &newest})
    for (const jobs::Run& run : *part)
      if (!run.objects.empty()) found.push_back(jobs::tracked_submit(run, notes[run.id]));
}

/// A broken journal is a note, and hides no other run.
template <typename Read>
void add_or_note(Context& context, const std::string& name, std::vector<jobs::TrackedRun>& found,
                 const Read& read) {
  try {
    found.push_back(read());
  } catch (const Error& error) {
    context.note(name + ": " + error.message);
  }
}

}  // namespace

std::vector<jobs::TrackedRun> tracked_runs(Context& context, size_t newest) {
  std::map<std::string, jobs::RunNotes> notes = jobs::RunRecords::of_user().notes();
  std::vector<jobs::TrackedRun> found;
  add_submits(context, newest, notes, found);
  for (const std::string& name : sweep_names())
    add_or_note(context, "sweep " + name, found,
                [&] { return jobs::tracked_sweep(state_of(context, name), notes["sweep/" + name]); });
  for (const std::string& name : pipeline::run_names())
    add_or_note(context, "run " + name, found,
                [&] { return jobs::tracked_pipeline(pipeline::read_run(name), notes["run/" + name]); });
  return found;
}

const jobs::TrackedRun& run_named(const std::vector<jobs::TrackedRun>& runs, const std::string& name) {
  const jobs::TrackedRun* newest = nullptr;
  std::vector<const jobs::TrackedRun*> by_id;
  std::vector<std::string> names;
  for (const jobs::TrackedRun& run : runs) {
    names.push_back(run.name);
    if (run.id.starts_with(name)) by_id.push_back(&run);
    if (run.name == name && (!newest || newest->time <= run.time)) newest = &run;
  }
  if (newest) return *newest;
  if (by_id.size() == 1) return *by_id[0];
  if (by_id.size() > 1)
    throw usage_error("several runs begin with \"" + name + "\"", "", "give more digits of the id");
  throw usage_error("no run \"" + name + "\"", did_you_mean(name, names), "`kml runs` lists the runs");
}

}  // namespace kml::cli
