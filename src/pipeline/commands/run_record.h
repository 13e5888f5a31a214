#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/pipeline/journal/record.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::cli {

/// Returns the name. Throws usage Error if the name is invalid, or a run with that name exists.
std::string checked_run_name(Context& context, const std::string& name);

/// The first record for a run of this pipeline. It leaves the name of the run empty.
pipeline::record::Run first_run_record(Context& context, const std::filesystem::path& file,
                                       const pipeline::Pipeline& pipeline, const Json& params,
                                       const pipeline::Renewal& renewal, const std::string& store);

}  // namespace kml::cli
