#include "pipeline/commands/run_notes.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "kml/base/text.h"
#include "kml/job/spec/gpu_types.h"
#include "kml/job/submit/code.h"

namespace kml::cli {

namespace fs = std::filesystem;

namespace {

/// `code: {paths: …}` without a folder only limits which changes on this machine are considered. A reader
/// might think that it sends code.
void note_code_in_images(Context& context, const PipelineHere& here) {
  if (context.place().is_local) return;
  const auto is_code = [](const std::string& name) { return name == "code"; };
  if (std::ranges::any_of(here.defaults().settings, is_code, &spec::Setting::name)) return;
  std::vector<std::string> steps;
  for (const pipeline::Step& step : here.steps().steps)
    if (!step.code_paths.empty() && std::ranges::none_of(step.settings.entries, is_code,
                                                         [](const auto& entry) { return entry.key.text; }))
      steps.push_back(step.name);
  if (!steps.empty())
    context.note("no code is sent for " + some_of(steps) + ": `code` has no folder; add `folder: .`, " +
                 "or use an image that contains the code");
}

/// The folders with the steps' code, each listed once.
std::set<fs::path> code_folders_of(const PipelineHere& here) {
  std::set<fs::path> folders;
  for (const pipeline::Step& step : here.steps().steps)
    for (const auto& entry : step.settings.entries)
      if (entry.key.text == "code")
        folders.insert((here.steps().folder / entry.value.text).lexically_normal());
  for (const spec::Setting& setting : here.defaults().settings)
    if (setting.name == "code") folders.insert(fs::path(setting.value).lexically_normal());
  return folders;
}

void note_broken_links(Context& context, const PipelineHere& here) {
  std::error_code none;
  for (const fs::path& folder : code_folders_of(here))
    if (fs::is_directory(folder, none))
      for (const std::string& note :
           job::notes_of_links(folder, job::code_files(folder), context.place().is_local))
        context.note(note);
}

bool has_own_gpus(const pipeline::Step& step) {
  return std::ranges::any_of(step.settings.entries,
                             [](const auto& entry) { return entry.key.text == "gpus"; });
}

/// The types of GPUs in the steps' settings that leave a choice.
std::set<std::string> chosen_gpus_of(const PipelineHere& here, const Json& params) {
  std::vector<spec::Setting> settings = here.known_settings(params);
  if (!std::ranges::all_of(here.samples().steps, has_own_gpus))
    settings.insert(settings.end(), here.defaults().settings.begin(), here.defaults().settings.end());
  std::set<std::string> types;
  for (const spec::Setting& setting : settings)
    if (const std::string type = setting.value.substr(0, setting.value.rfind(':'));
        setting.name == "gpus" && spec::is_choice(type))
      types.insert(type);
  return types;
}

/// Each attempt of a step would need a claim of its own, so steps select nodes by labels even on a cluster
/// that allocates GPUs by claims.
void note_chosen_gpus(Context& context, const PipelineHere& here, const Json& params) {
  if (context.place().is_local) return;
  for (const std::string& type : chosen_gpus_of(here, params))
    context.note(spec::note_on_unclaimed_choice(type));
}

}  // namespace

void note_about_steps(Context& context, const PipelineHere& here, const Json& params) {
  note_code_in_images(context, here);
  note_broken_links(context, here);
  note_chosen_gpus(context, here, params);
}

}  // namespace kml::cli
