#pragma once

#include <string>
#include <vector>

#include "job/commands/send.h"
#include "job/commands/submit_request.h"
#include "kml/job/records/records.h"

namespace kml::cli {

/// The run that `word` names, "NAME" or "run/NAME": a pipeline's, or that of a submit with artifacts. Empty
/// if there is none, or if a submit without artifacts has a job with that name.
std::string named_run_of_steps(const std::string& word);

/// Submits a submit with artifacts again, in its folder, with the changed settings. `arguments` are values of
/// --set-arg. Returns the exit code. Throws usage Error if the run is that of a pipeline.
int rerun_with_artifacts(Context& context, const std::string& run, const SubmitFlags& changes,
                         const std::vector<std::string>& arguments, const SendOptions& send);

/// Prints a note if the code in the run's folder has changed since then. `shown` names the run.
void note_changed_folder(Context& context, const job::Submission& run, const std::string& shown);

}  // namespace kml::cli
