#pragma once

#include <functional>
#include <map>
#include <string>

#include "pipeline/kfp/binding.h"
#include "pipeline/kfp/compiled.h"

namespace kml::pipeline::kfp {

/// A task's inputs by name.
using Bindings = std::map<std::string, Binding>;

/// A task that is run by a container or an importer.
struct LeafTask {
  std::string name;  ///< its step's name
  std::string path;  ///< in the file, for problems: "root.dag.tasks.train"
  const Json& task;
  const Json& component;
  Bindings inputs;               ///< the task's inputs and the component's defaults
  const Bindings& group_inputs;  ///< inputs of the pipeline that the task is in
  /// Returns a parameter that another task of that pipeline outputs.
  std::function<Binding(const std::string& task, const std::string& key)> output_of;
};

/// The task's step, except for the steps that it waits for. `folder` is the file's folder.
Step step_of(const LeafTask& leaf, const Compiled& compiled, const std::string& folder,
             render::Problems& problems);

/// A container (image, env, resources) and its settings in `platforms.kubernetes`, each with its path in the
/// file.
struct SettingsSource {
  const Json& container;
  std::string path;
  const Json& kubernetes;
  std::string kubernetes_path;
};
void read_settings(const SettingsSource& source, const LeafTask& leaf, Step& step,
                   render::Problems& problems);

}  // namespace kml::pipeline::kfp
