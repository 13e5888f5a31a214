#pragma once

#include <functional>
#include <map>
#include <string>

#include "pipeline/kfp/binding.h"
#include "pipeline/kfp/compiled.h"

namespace kml::pipeline::kfp {

/// A task's inputs by name.
using Bindings = std::map<std::string, Binding>;

/// A task that a container or an importer carries out.
struct LeafTask {
  std::string name;  ///< of its step
  std::string path;  ///< in the file, for problems: "root.dag.tasks.train"
  const Json& task;
  const Json& component;
  Bindings inputs;               ///< all that the task is given, and the component's defaults
  const Bindings& group_inputs;  ///< of the pipeline that the task is in
  /// What another task of that pipeline hands on as a parameter.
  std::function<Binding(const std::string& task, const std::string& key)> output_of;
};

/// Its step, but for what it waits for. `folder` is the file's.
Step step_of(const LeafTask& leaf, const Compiled& compiled, const std::string& folder,
             render::Problems& problems);

/// Where the container (image, env, resources) and what `platforms.kubernetes` says of it are. Both have
/// their paths in the file.
struct SettingsSource {
  const Json& container;
  std::string path;
  const Json& kubernetes;
  std::string kubernetes_path;
};
void read_settings(const SettingsSource& source, const LeafTask& leaf, Step& step,
                   render::Problems& problems);

}  // namespace kml::pipeline::kfp
