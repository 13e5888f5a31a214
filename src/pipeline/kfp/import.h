#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/yaml.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline::kfp {

/// Whether the documents are a pipeline that the SDK of Kubeflow Pipelines has compiled: a PipelineSpec
/// ("schemaVersion") or a PipelineJob ("pipelineSpec"). A second document about platforms may follow.
bool is_compiled(const std::vector<yaml::Node>& documents);

/// Turns tasks into steps: one for each container, importer and volume claim task; in a loop, one for each
/// iteration. The name of a step is the path of its task, without groups for conditions and exit handlers.
/// The number of iterations can depend on parameters. The result is for the parameters' defaults;
/// Pipeline::for_values converts the tasks for other values. Throws a single usage Error with a problem for
/// each unsupported field. Each problem names the field and the path of its task. The format is described in
/// kubeflow/pipelines' api/v2alpha1/pipeline_spec.proto, and by the files that its SDK 2.17 writes.
Pipeline import(const std::vector<yaml::Node>& documents, const std::string& file, std::string_view text);

/// The value that `-p NAME=TEXT` gives a parameter. For a compiled pipeline, a list must be written as JSON,
/// as for kfp: "1" is not a list with one text. Throws usage Error.
Json flag_value(const Pipeline& pipeline, const render::Parameter& parameter, std::string_view text);

}  // namespace kml::pipeline::kfp
