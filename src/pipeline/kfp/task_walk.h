#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/kfp/task_steps.h"

namespace kml::pipeline::kfp {

/// Goes through the tasks of a compiled pipeline, and makes steps of them.
class TaskWalk {
 public:
  /// `values` are the pipeline's parameters.
  TaskWalk(const Compiled& compiled, const Json& values, std::string folder, render::Problems& problems)
      : compiled_(compiled), values_(values), folder_(std::move(folder)), problems_(problems) {}

  /// Each step after those that it waits for.
  std::vector<Step> run();

 private:
  /// What a task hands on: its outputs, and the steps that it became.
  struct Made {
    Bindings parameters, artifacts;
    std::vector<std::string> steps;
  };
  /// What all steps below a task have from it.
  struct Inherited {
    std::string prefix;  ///< of their names
    std::vector<std::string> needs, after, conditions;
    bool at_exit = false;
  };
  /// A pipeline, or a part of one, while it is gone through.
  struct Group {
    const Json& dag;
    std::string path;
    Inherited inherited;
    Bindings inputs;
    std::map<std::string, Made> made;
    std::set<std::string> begun;
  };

  Made group(const Json& component, const std::string& path, Inherited inherited, Bindings inputs);
  Made outputs_of(Group& group);
  Binding selected(Group& group, const Json& selectors, const char* key_name, bool is_artifact);
  const Made& task(Group& group, const std::string& name);
  Made new_task(Group& group, const std::string& name, const Json& task, const std::string& path);
  void upstream(Group& group, const Json& task, const std::string& path, Inherited& inherited);
  Bindings inputs_of(Group& group, const Json& task, const std::string& path);
  Binding parameter(Group& group, const Json& input, const std::string& path);
  Binding artifact(Group& group, const Json& input, const std::string& path);
  Binding output(Group& group, const std::string& producer, const std::string& key, bool is_artifact,
                 const std::string& path);
  Binding constant_of(const Json& input, const std::string& path);
  void select(Binding& binding, const Json& input, const std::string& path);
  void fill_texts(Bindings& inputs);
  void condition(const Json& task, const Bindings& inputs, const std::string& path, Inherited& inherited);
  std::optional<std::vector<Binding>> items(const Json& task, const Bindings& inputs,
                                            const std::string& path);
  Made loop(const Group& group, const std::string& name, const std::string& path, const Inherited& inherited,
            const Bindings& inputs, const std::vector<Binding>& items);
  Made component(const Group& group, const std::string& task_name, const std::string& name,
                 const std::string& path, Inherited inherited, Bindings inputs);
  Made leaf(const LeafTask& leaf, const Inherited& inherited);
  std::string unique(std::string name);

  const Compiled& compiled_;
  const Json& values_;
  const std::string folder_;
  render::Problems& problems_;
  std::vector<Step> steps_;
  int depth_ = 0;
};

}  // namespace kml::pipeline::kfp
