#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"
#include "kml/core/json.h"
#include "kml/pipeline/cache.h"
#include "kml/pipeline/pipeline.h"

namespace kml::cli {

/// Throws usage Error if it cannot name a run, or does name one.
std::string checked_run_name(Context& context, const std::string& name);

/// The record that a run of this begins with, but for its name.
Json first_run_record(Context& context, const std::filesystem::path& file, const pipeline::Pipeline& pipeline,
                      const Json& params, const pipeline::Renewal& renewal, const std::string& store);

}  // namespace kml::cli
