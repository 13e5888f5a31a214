#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/yaml.h"
#include "kml/pipeline/pipeline.h"

namespace kml::pipeline::kfp {

/// Whether these are a pipeline that the SDK of Kubeflow Pipelines compiled: a PipelineSpec
/// ("schemaVersion"), or a PipelineJob ("pipelineSpec"), with its platforms as a second document.
bool is_compiled(const std::vector<yaml::Node>& documents);

/// Its tasks as steps, one for each container, importer and iteration of a loop, named after the path of the
/// task; groups of conditions and exit handlers are no part of the name. The result is for the parameters'
/// defaults, and Pipeline::for_values makes it for others: they decide how often loops run. Throws one Error
/// (usage) with a problem for each field that has no counterpart here, by its name and the task's path.
///
/// The format: api/v2alpha1/pipeline_spec.proto of kubeflow/pipelines, and what its SDK 2.17 writes.
Pipeline import(const std::vector<yaml::Node>& documents, const std::string& file, std::string_view text);

}  // namespace kml::pipeline::kfp
