#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/kfp/task_steps.h"

namespace kml::pipeline::kfp {

/// Walks through the tasks of a compiled pipeline, and turns them into steps.
class TaskWalk {
 public:
  /// `values` are the values of the pipeline's parameters. `items` are the items of loops over outputs of
  /// tasks, by the step of the loop.
  TaskWalk(const Compiled& compiled, const Json& values, const Json& items, std::string folder,
           render::Problems& problems)
      : compiled_(compiled),
        values_(values),
        items_(items),
        folder_(std::move(folder)),
        problems_(problems) {}

  /// Returns the steps; each one comes after those it waits for.
  std::vector<Step> run();

 private:
  /// The outputs of a task, and the steps made from it.
  struct Made {
    Bindings parameters, artifacts;
    std::vector<std::string> steps;
  };
  /// The settings that a task passes on to all steps below it.
  struct Inherited {
    std::string prefix;  ///< the prefix for the names of these steps
    std::vector<std::string> needs, after, conditions;
    bool at_exit = false;
  };
  /// A pipeline, or a part of one, whose tasks are being read.
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
  /// The items of a loop.
  struct Items {
    std::vector<Binding> known = {};
    /// if the items are not known: the task's output that contains the list
    std::optional<Binding> made = {};
    /// if the items are not known: the steps of loops that must be known first
    std::vector<std::string> waits = {};
    bool is_open() const { return made || !waits.empty(); }
  };
  std::optional<Items> items(const Json& task, const Bindings& inputs, const std::string& path);
  Made loop(const Group& group, const std::string& name, const std::string& path, Inherited inherited,
            const Bindings& inputs, Items items);
  Made iterations(const Group& group, const std::string& name, const std::string& path,
                  const Inherited& inherited, const Bindings& inputs, const std::vector<Binding>& items);
  void open(const std::string& name, const Inherited& inherited, Items& items);
  Made component(const Group& group, const std::string& task_name, const std::string& name,
                 const std::string& path, Inherited inherited, Bindings inputs);
  Made leaf(const LeafTask& leaf, const Inherited& inherited);
  std::string unique(std::string name);

  const Compiled& compiled_;
  const Json& values_;
  const Json& items_;
  const std::string folder_;
  render::Problems& problems_;
  std::vector<Step> steps_;
  int depth_ = 0;
};

}  // namespace kml::pipeline::kfp
