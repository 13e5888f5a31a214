#include "pipeline/runner/own_command.h"

#include <filesystem>
#include <set>

#include "kml/base/error.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/job/render/evaluate.h"
#include "kml/job/render/problems.h"
#include "pipeline/runner/input_sender.h"
#include "pipeline/runner/step_pod.h"

namespace kml::pipeline {

namespace {

/// All trees in the inputs of a step. An input is a value, a tree, or a list of these.
std::vector<const Json*> trees_of(const Json& inputs) {
  std::vector<const Json*> trees;
  for (const Json& input : inputs) {
    if (input.is_object() && input.contains("digest")) trees.push_back(&input);
    if (input.is_array())
      for (const Json& item : input)
        if (item.is_object() && item.contains("digest")) trees.push_back(&item);
  }
  return trees;
}

std::string flag_of(const spec::Setting& setting) {
  return (setting.name == "param" ? "-p" : "--" + setting.name + "=") + setting.value;
}

/// In defaults, a relative folder is relative to the current folder, not to the folder of the pipeline file.
std::string flag_of_default(spec::Setting setting) {
  const bool is_folder_here = setting.name == "mount" && setting.value.starts_with('.');
  if (setting.name == "code" || setting.name == "requirements" || setting.name == "conda" || is_folder_here)
    setting.value = (std::filesystem::current_path() / setting.value).lexically_normal();
  return flag_of(setting);
}

}  // namespace

std::string with_unit(const std::string& flag, std::string value) {
  const bool is_duration = flag == "time" || flag == "idle";
  return is_duration && !value.empty() && is_digit(value.back()) ? value + "s" : value;
}

std::vector<std::string> flags_of(const yaml::Node& mapping, const StepJob& job, const std::string& file) {
  render::Problems problems(file);
  const Json values = render::evaluate(mapping, job.scope, problems);
  problems.raise("step " + job.step->name + " cannot be submitted");
  std::vector<std::string> flags;
  const auto add = [&](const std::string& flag, const Json& value) {
    flags.push_back("--" + flag + "=" + with_unit(flag, render::embedded(value)));
  };
  for (const auto& [flag, value] : values.items()) {
    if (value.is_object())
      for (const auto& [name, one] : value.items()) add(flag, name + "=" + render::embedded(one));
    else if (value.is_array())
      for (const Json& one : value) add(flag, one);
    else if (!value.is_boolean())
      add(flag, value);
    else if (value.get<bool>())
      flags.push_back("--" + flag);
  }
  return flags;
}

std::vector<std::string> setting_flags(const StepRunnerOptions& options, const FilledStep& filled) {
  std::vector<std::string> flags;
  if (options.defaults_are_copied)
    for (const spec::Setting& setting : options.defaults) flags.push_back(flag_of_default(setting));
  for (const spec::Setting& setting : filled.settings) flags.push_back(flag_of(setting));
  return flags;
}

std::vector<std::string> input_mounts(const StepJob& job, const std::optional<ClaimStore>& store,
                                      std::string_view what) {
  std::set<std::string> mounts;
  for (const Json* tree : trees_of(job.inputs)) {
    if (!store)
      throw usage_error(std::string(what) + " on a cluster cannot read files from this machine",
                        "the pods of such a job read files only from a volume",
                        "keep the run's files on a volume: kml run FILE --store pvc/NAME");
    const std::string place = place_on_claim(*store, *tree);
    mounts.insert("--mount=pvc/" + store->claim + "/" + place + ":" + std::string(kStepMade) + place + ":ro");
  }
  return {mounts.begin(), mounts.end()};
}

std::vector<std::string> own_command(const std::vector<std::string>& words) {
  std::vector<std::string> argv = {own_executable()};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

}  // namespace kml::pipeline
