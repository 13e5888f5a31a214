#include "mcp/tools/plans.h"

#include <chrono>
#include <system_error>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "mcp/tools/answer.h"

namespace kml::mcp {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kKept{24 * 30};

bool is_plan_id(const std::string& id) {
  constexpr size_t kDigits = 32;
  return id.size() == kDigits && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

fs::path plans_folder() {
  return state_folder() / "mcp" / "plans";
}

fs::path file_of_plan(const std::string& id) {
  return plans_folder() / (id + ".json");
}

void remove_old_plans() {
  std::error_code none;
  for (const auto& file : fs::directory_iterator(plans_folder(), none)) {
    const auto written = file.last_write_time(none);
    if (!none && written < fs::file_time_type::clock::now() - kKept) fs::remove(file.path(), none);
  }
}

job::PlanFile kept_plan(const std::string& id) {
  if (!is_plan_id(id) || !fs::exists(file_of_plan(id)))
    throw usage_error("unknown plan " + cleaned_text(id), "", "call the tool \"plan\" to make one");
  job::PlanFile plan = job::read_plan_file(file_of_plan(id));
  if (plan.id != id) throw usage_error("the file of plan " + id + " has another id");
  return plan;
}

}  // namespace kml::mcp
