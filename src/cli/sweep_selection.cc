#include "cli/sweep_selection.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kml/core/error.h"
#include "kml/core/text.h"
#include "kml/sweep/journal.h"

namespace kml::cli {

namespace fs = std::filesystem;

bool has_begun(const std::string& name) {
  std::ifstream journal(sweep::sweeps_folder() / name / "journal.jsonl");
  std::string line;
  return std::getline(journal, line) && !journal.eof();
}

std::vector<std::string> sweep_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(sweep::sweeps_folder(), ignored))
    if (has_begun(entry.path().filename())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void read_sweep(const std::string& name, const std::function<void(const Json& record)>& take) {
  const std::vector<std::string> names = sweep_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw usage_error("there is no sweep " + name, did_you_mean(name, names),
                      "`kml sweep list` names those that there are");
  sweep::read_journal(sweep::sweeps_folder() / name, take);
}

sweep::SweepState state_of(const std::string& name) {
  sweep::SweepState state;
  read_sweep(name, [&](const Json& record) { state.apply(record); });
  return state;
}

}  // namespace kml::cli
