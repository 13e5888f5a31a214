#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/yaml.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline::kfp {

/// Whether the documents are a pipeline compiled by the SDK of Kubeflow Pipelines: a PipelineSpec
/// ("schemaVersion") or a PipelineJob ("pipelineSpec"), with an optional second document for platforms.
bool is_compiled(const std::vector<yaml::Node>& documents);

/// Converts tasks into steps: one for each container, importer and iteration of a loop. A step is named after
/// the path of its task, without groups of conditions and exit handlers. The number of iterations can depend
/// on parameters; the result is for their defaults, and Pipeline::for_values converts the tasks for other
/// values. Throws one Error (usage) with a problem for each unsupported field, which names the field and the
/// path of its task.
///
/// The format: api/v2alpha1/pipeline_spec.proto of kubeflow/pipelines, and what its SDK 2.17 writes.
Pipeline import(const std::vector<yaml::Node>& documents, const std::string& file, std::string_view text);

}  // namespace kml::pipeline::kfp
