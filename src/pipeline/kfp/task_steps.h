#pragma once

#include <functional>
#include <map>
#include <string>

#include "pipeline/kfp/binding.h"
#include "pipeline/kfp/compiled.h"

namespace kml::pipeline::kfp {

/// Where a task's inputs come from, by name.
using Bindings = std::map<std::string, Binding>;

/// A task that a container or an importer runs.
struct LeafTask {
  std::string name;  ///< its step's name
  std::string path;  ///< the path in the file, for messages: "root.dag.tasks.train"
  const Json& task;
  const Json& component;
  Bindings inputs;               ///< the inputs of the task, and the defaults of its component
  const Bindings& group_inputs;  ///< the inputs of the pipeline to which the task belongs
  /// Returns a parameter that another task in the same pipeline outputs.
  std::function<Binding(const std::string& task, const std::string& key)> output_of;
};

/// The step for the task. Of the steps that it waits for, it has only those whose outputs it reads. `folder`
/// is the folder of the file.
Step step_of(const LeafTask& leaf, const Compiled& compiled, const std::string& folder,
             render::Problems& problems);

/// A container (image, env, resources) and its settings in `platforms.kubernetes`, each with the path in the
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
