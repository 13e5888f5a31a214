#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/base/yaml.h"
#include "kml/job/render/problems.h"
#include "kml/job/render/template.h"

namespace kml::pipeline::kfp {

/// A compiled file's parts.
struct Compiled {
  Json spec;        ///< the PipelineSpec
  Json kubernetes;  ///< the executors' settings in `platforms.kubernetes`, by label
  Json values;      ///< parameter values that a PipelineJob sets
};

/// Adds a problem for each part that kml does not know. `text` is the text of the file.
Compiled compiled_parts(const std::vector<yaml::Node>& documents, std::string_view text,
                        render::Problems& problems);

/// The parameters of the pipeline. The values in a PipelineJob become their defaults.
std::vector<render::Parameter> parameters_of(const Compiled& compiled, render::Problems& problems);

/// Adds a problem with the field's path, starting with `path`, for each field of the object that is not in
/// `known` and not null.
void check_fields(const Json& object, std::initializer_list<std::string_view> known, const std::string& path,
                  render::Problems& problems);

/// Adds a problem without a line number, because compiled files are turned into JSON values, which have none.
void refuse(render::Problems& problems, const std::string& path, std::string text);

/// Turns a name into a DNS label of at most `most` characters: "Train model" becomes "train-model".
std::string label_of(std::string_view name, size_t most);

}  // namespace kml::pipeline::kfp
