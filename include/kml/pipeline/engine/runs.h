#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/journal/journal.h"

namespace kml::pipeline {

/// The folder state_folder()/runs. It has a folder with the journal of each run on this machine.
std::filesystem::path runs_folder();
std::filesystem::path run_folder(const std::string& run);
/// The file beside a run's journal whose existence asks the engine to stop.
std::filesystem::path stop_file(const std::string& run);

/// Whether a run with that name has started.
bool has_run(const std::string& run);

/// Names of all runs that have started, sorted.
std::vector<std::string> run_names();

/// Whether the last record of a run's journal is the end of the run. Reads only that record, because many
/// runs may exist.
bool is_ended(const std::string& run);

/// Throws usage Error if the run does not exist.
RunState read_run(const std::string& run);

/// The pipeline of a run, reduced to the run's steps.
Pipeline pipeline_of(const RunState& run);

/// Opens a run's journal for writing, and creates it if needed. Throws Error if another process has it open.
Journal open_run(const std::string& run, const std::string& owner);

/// Whether no engine is running the run, although it has not ended.
bool is_left(const RunState& run);

}  // namespace kml::pipeline
