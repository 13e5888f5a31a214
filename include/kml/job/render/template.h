#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/base/yaml.h"

namespace kml::render {

enum class Type { string, integer, number, boolean, quantity, duration, list, map };

/// A declared parameter, which `-p name=value` sets.
struct Parameter {
  std::string name;
  Type type = Type::string;
  std::optional<Json> default_value;
  /// whether the parameter must be given; an optional parameter without a default is null
  bool required = false;
  std::string help;
  std::vector<Json> one_of;  ///< `enum`
  std::optional<Json> min;   ///< the minimum, for an int, float, quantity or duration
  std::optional<Json> max;
  std::string pattern;  ///< an RE2 expression that must match the complete value
  yaml::Mark mark;
  std::string sample = {};  ///< what messages show as its value, such as FILE; if empty, its type
};

/// Flags that some pods of a template may not support. For example, an MPI launcher has no GPUs.
inline const std::vector<std::string> kOptionalFlags = {"command", "gpus", "cpu", "memory", "shm"};

/// A group of equal pods in a body: the path of their PodTemplateSpec, and the paths of their numbers of
/// replicas.
struct PodGroup {
  enum class Count { none, nodes, others };

  std::string path;  ///< the path of the PodTemplateSpec: `spec.template`, or spec.trainer in a TrainJob
  std::vector<std::string> replicas;  ///< the paths of the fields that must be set to the number of pods
  Count count = Count::none;          ///< `nodes` is the value of --nodes; `nodes-1` is one less
  std::string group;                  ///< the path to remove if the number is 0
  std::vector<std::string> without;   ///< flags in kOptionalFlags that do not apply to these pods
  /// the paths of the fields whose product is the number of pods, if that is not the first of `replicas`
  std::vector<std::string> factors = {};
  bool is_spec = false;  ///< whether `path` leads to a pod's spec, without metadata
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
/// not, keeps its type (`!!str` makes it text). Inside a longer scalar and in keys it becomes text. A
/// duration becomes its number of seconds. `$$` stands for one `$`; any other `$` is kept. Node forms:
///
///     $if: ${flag}         $then if the flag is not null, false, 0 or empty, otherwise $else. Without $else,
///     $then: X             the key or list item is left out.
///     $else: Y
///
///     $each: ${names}      A list with $do once for each item (of a map: for each {key, value}). The item is
///     $as: n               ${item}, or has the name after $as. ${item.key} is a member of it.
///     $do: X
///
///     $splice: ${list}     Alone, as an item of a list: adds the items of that list.
///     $splice: ${map}      As a key of a mapping, beside other keys: adds the entries of that map.
///
/// A body can also use `name`, `nodes`, `gpus`, `image` and `command`, which the flags set. If a body uses
/// `${command}`, kml does not put the command elsewhere.
struct Template {
  std::string name;
  std::string file;  ///< the name used in problems
  std::string text;
  std::string help;
  std::vector<Parameter> parameters;
  std::vector<PodGroup> pods;
  std::shared_ptr<const yaml::Node> body;
};

/// Parses and checks a template. Throws a single usage Error with all problems, each with file, line and
/// column.
Template parse_template(std::string_view text, std::string name, std::string file);

std::string_view name_of(Type type);

}  // namespace kml::render
