#pragma once

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
  Bindings inputs;  ///< those of the component that something gives, defaults included
};

/// Its step, but for what it waits for. `folder` is the file's.
Step step_of(const LeafTask& leaf, const Compiled& compiled, const std::string& folder,
             render::Problems& problems);

/// Settings from the container (image, env, resources), and from what `platforms.kubernetes` says of it.
yaml::Node settings_of(const Json& container, const Json& kubernetes, const std::string& path,
                       const std::string& platform_path, render::Problems& problems);

}  // namespace kml::pipeline::kfp
