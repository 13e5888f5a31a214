#pragma once

#include <string>
#include <vector>

#include "job/commands/send.h"
#include "job/commands/submit_request.h"
#include "kml/job/records/records.h"

namespace kml::cli {

/// The run that `word` ("NAME" or "run/NAME") refers to: a pipeline's run, or the run of a submit with
/// artifacts. Empty if there is none or, for "NAME", if a submit without artifacts has a job with that name.
std::string named_run_of_steps(const std::string& word);

/// Repeats, with the changed settings, a submit that has artifacts. Runs it in the folder of the original
/// submit. `arguments` has the values of --set-arg. Returns the exit code of the new submit. Throws usage
/// Error if the run is a pipeline's.
int rerun_with_artifacts(Context& context, const std::string& run, const SubmitFlags& changes,
                         const std::vector<std::string>& arguments, const SendOptions& send);

/// Prints a note if the code in the run's folder has changed since the run. `shown` is the run's name in the
/// note.
void note_changed_folder(Context& context, const job::Submission& run, const std::string& shown);

}  // namespace kml::cli
