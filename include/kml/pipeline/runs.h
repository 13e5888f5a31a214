#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/engine/journal.h"
#include "kml/pipeline/run_state.h"

namespace kml::pipeline {

/// state_folder()/runs, with a folder for each run of this machine: its journal.
std::filesystem::path runs_folder();
std::filesystem::path run_folder(const std::string& run);
/// The file beside a run's journal that asks its engine to stop.
std::filesystem::path stop_file(const std::string& run);

/// Whether a run of that name has begun.
bool has_run(const std::string& run);

/// Names of all runs that have begun, sorted.
std::vector<std::string> run_names();

/// Whether the last record of a run's journal is its end. Reads no more than that: there may be many runs.
bool is_ended(const std::string& run);

/// Throws usage Error if there is no run of that name, with the nearest one.
RunState read_run(const std::string& run);

/// The pipeline of a run, with the steps that it has.
Pipeline pipeline_of(const RunState& run);

/// Opens a run's journal for writing, and creates it if needed. Throws Error if another process has it open.
engine::Journal open_run(const std::string& run, const std::string& owner);

/// Whether it has not ended, and no engine is running it.
bool is_left(const RunState& run);

}  // namespace kml::pipeline
