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
  Json kubernetes;  ///< the settings of executors in `platforms.kubernetes`, by their labels
  Json values;      ///< the values of parameters that a PipelineJob sets
};

/// Adds a problem for each part that kml does not know. `text` is that of the file.
Compiled compiled_parts(const std::vector<yaml::Node>& documents, std::string_view text,
                        render::Problems& problems);

/// The pipeline's parameters; a PipelineJob's values are their defaults.
std::vector<render::Parameter> parameters_of(const Compiled& compiled, render::Problems& problems);

/// Adds a problem at `path` for each field of the object that is not one of `known`, by its name.
void check_fields(const Json& object, std::initializer_list<std::string_view> known, const std::string& path,
                  render::Problems& problems);

/// Adds a problem without a line number, because the parser of compiled files does not keep them.
void refuse(render::Problems& problems, const std::string& path, std::string text);

/// A name as a DNS label of at most `most` characters: "Train model" is "train-model".
std::string label_of(std::string_view name, size_t most);

}  // namespace kml::pipeline::kfp
