#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/core/yaml.h"

namespace kml::render {

enum class Type { string, integer, number, boolean, quantity, duration, list, map };

/// A declared parameter: `-p name=value` sets it.
struct Parameter {
  std::string name;
  Type type = Type::string;
  std::optional<Json> default_value;
  bool required = false;  ///< must be given; a parameter with neither is null
  std::string help;
  std::vector<Json> one_of;  ///< `enum`
  std::optional<Json> min;   ///< of an int, a float, a quantity or a duration
  std::optional<Json> max;
  std::string pattern;  ///< RE2; must match the whole value
  yaml::Mark mark;
};

/// Flags that may skip a group of pods: an MPI launcher has no GPUs.
inline const std::vector<std::string> kOptionalFlags = {"command", "gpus", "cpu", "memory", "shm"};

/// A group of equal pods in a body: the paths of its PodTemplateSpec and of its replica counts.
struct PodGroup {
  enum class Count { none, nodes, others };

  std::string path;  ///< of the PodTemplateSpec: `spec.template`, or a TrainJob's spec.trainer
  std::vector<std::string> replicas;  ///< paths that are set to the count
  Count count = Count::none;          ///< `nodes`: all of --nodes; `nodes-1`: all but one
  std::string group;                  ///< path that is removed if the count is 0
  std::vector<std::string> without;   ///< flags that skip these pods: some of kOptionalFlags
  yaml::Mark mark;
};

/// A template: a YAML document
///
///     kml: template/v1
///     help: One line.
///     parameters:
///       steps: {type: int, default: 100, min: 1, help: Training steps}
///     pods:
///       - path: spec.template
///         replicas: [spec.completions, spec.parallelism]
///         count: nodes
///     body: {apiVersion: batch/v1, kind: Job, ...}     # or a list of objects
///
/// In the body, `${steps}` is replaced by a parameter's value. A value that is the whole scalar, quoted or
/// not, keeps its type (`!!str` makes it text); inside a longer scalar and in keys it becomes text. A
/// duration becomes its number of seconds. `$$` is one `$`; any other `$` is itself. Node forms:
///
///     $if: ${flag}         $then where the flag is neither null, false, 0, "" nor empty, else $else; without
///     $then: X             $else, the key or list item is left out
///     $else: Y
///
///     $each: ${names}      a list with $do once for each item (of a map: of each {key, value}), which is
///     $as: n               known as ${item}, or as $as says; ${item.key} reaches into it
///     $do: X
///
///     $splice: ${list}     alone, as an item of a list: the list's items
///     $splice: ${map}      as a key of a mapping, beside others: the map's entries
///
/// A body can also use `name`, `nodes`, `gpus`, `image` and `command`, which the flags set. A body that uses
/// `${command}` places the command itself.
struct Template {
  std::string name;
  std::string file;  ///< as problems name it
  std::string text;
  std::string help;
  std::vector<Parameter> parameters;
  std::vector<PodGroup> pods;
  std::shared_ptr<const yaml::Node> body;
};

/// Parses and checks a template. Throws one Error (usage) with every problem, file, line and column.
Template parse_template(std::string_view text, std::string name, std::string file);

std::string_view name_of(Type type);

}  // namespace kml::render
