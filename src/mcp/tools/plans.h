#pragma once

#include <filesystem>
#include <string>

#include "kml/job/submit/plan_file.h"

namespace kml::mcp {

/// The folder of the plans that agents have made, each in a file that is named by its id.
std::filesystem::path plans_folder();
std::filesystem::path file_of_plan(const std::string& id);

/// Removes plans that were made more than 30 days ago.
void remove_old_plans();

/// Throws usage Error if there is no such plan.
job::PlanFile kept_plan(const std::string& id);

}  // namespace kml::mcp
