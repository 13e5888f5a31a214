#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/pipeline/journal/record.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::cli {

/// Returns the name. Throws usage Error if it is not valid or if a run with that name exists.
std::string checked_run_name(Context& context, const std::string& name);

/// The first record of a run of this pipeline, without the run's name.
pipeline::record::Run first_run_record(Context& context, const std::filesystem::path& file,
                                       const pipeline::Pipeline& pipeline, const Json& params,
                                       const pipeline::Renewal& renewal, const std::string& store);

}  // namespace kml::cli
