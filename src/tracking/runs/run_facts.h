#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/records/records.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

// Functions for the facts that all kinds of runs add to a TrackedRun in the same way.

/// Adds the tags, the note and the metrics.
void take_notes(TrackedRun& tracked, const job::RunNotes& notes);

/// Does nothing if the value is empty.
void add_fact(TrackedRun& tracked, const std::string& name, const std::string& value);

/// Adds the state of the code; see GitState. The diff shows best what was uncommitted, but the record of a
/// run in the cluster contains no diff.
void add_git(TrackedRun& tracked, const Json& git);

/// Adds the digest of the lock, which stands for all packages (see SubmitPlan), and the environment in which
/// they were installed.
void add_python(TrackedRun& tracked, const Json& packages, const packages::NamedEnvironment& environment);

/// Adds the interpreter and the GPU driver of a job on this machine, as they were at its submit. Call this
/// after add_python(): a job with packages runs the interpreter of its environment, so its interpreter is not
/// added.
void add_machine(TrackedRun& tracked, const Json& job);

/// Adds the digest of the archive that --code has made. The digest is part of the names of Secrets in the
/// objects.
void add_code_digest(TrackedRun& tracked, const std::vector<Json>& objects);

/// Adds the facts that are not in the records of runs: the versions of packages, and GPU hours. All commands
/// that compare runs call this, so that they show the same differences.
void add_facts_to_compare(std::vector<TrackedRun>& runs);

/// The first container of a job; empty if it has none.
Json first_container_of(const Json& job);

}  // namespace kml::tracking
