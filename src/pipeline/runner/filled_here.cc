#include "pipeline/runner/filled_here.h"

#include <algorithm>

#include "kml/job/spec/config.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

void settle_paths(std::vector<spec::Setting>& settings, const fs::path& folder, bool is_local) {
  make_absolute(settings, folder);
  const bool has_place = std::any_of(settings.begin(), settings.end(),
                                     [](const spec::Setting& setting) { return setting.name == "code"; });
  const auto chdir = std::find_if(settings.begin(), settings.end(),
                                  [](const spec::Setting& setting) { return setting.name == "chdir"; });
  if (has_place || !is_local) return;  // the working folder is in the code or the image, so nothing is set
  if (chdir != settings.end())
    chdir->value = folder / chdir->value;
  else
    settings.push_back({"chdir", folder, {}});
}

}  // namespace

void make_absolute(std::vector<spec::Setting>& settings, const fs::path& folder) {
  for (spec::Setting& setting : settings) {
    const bool is_folder_here = setting.name == "mount" && setting.value.starts_with('.');
    const bool is_template = setting.name == "template" && spec::is_template_file(setting.value);
    if (setting.name == "code" || setting.name == "requirements" || setting.name == "conda" || is_template ||
        is_folder_here)
      setting.value = (folder / setting.value).lexically_normal();
  }
}

FilledStep filled_here(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job) {
  FilledStep filled = fill(*job.step, pipeline.file, job.scope, options.is_local ? Where::here : Where::pod);
  std::vector<spec::Setting> used = filled.settings;
  used.insert(used.end(), filled.uses.begin(), filled.uses.end());
  options.check(used);
  settle_paths(filled.settings, options.folder, options.is_local);
  return filled;
}

fs::path working_folder(const FilledStep& filled) {
  fs::path folder;
  for (const spec::Setting& setting : filled.settings) {
    if (setting.name == "code") return {};
    if (setting.name == "chdir") folder = setting.value;
  }
  return folder;
}

}  // namespace kml::pipeline
