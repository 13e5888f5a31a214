#pragma once

#include <string>

#include "step/options.h"

namespace kml::step {

/// Copies an input from the bucket to its place. If that fails, exits with the exit code of kml-step-s3,
/// which has printed the reason.
void fetch(const Options& options, const InputPlace& input);

/// Fetches data into its folder, unless the folder exists. Exits on failure as fetch() does.
void fetch_data(const Options& options, const DataPlace& data);

/// Deletes data that was not used for some time, or only prints what it would delete. Exits on failure as
/// fetch() does.
void tidy(const Options& options, const TidyPlace& place);

/// Copies an output to the bucket. `manifest` lists the output's files. Exits on failure as fetch() does.
void send(const Options& options, const OutputPlace& output, const std::string& manifest);

}  // namespace kml::step
