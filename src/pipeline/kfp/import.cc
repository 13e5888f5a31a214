#include "pipeline/kfp/import.h"

#include <filesystem>
#include <memory>

#include "kml/base/error.h"
#include "kml/job/render/parameters.h"
#include "pipeline/kfp/task_walk.h"

namespace kml::pipeline::kfp {

namespace {

constexpr size_t kLongestPipelineName = 40;  // the same limit as for kml's own pipelines

Json values_or_defaults(const std::vector<render::Parameter>& parameters, const Json& values) {
  Json result = Json::object();
  for (const render::Parameter& parameter : parameters)
    result[parameter.name] = values.value(parameter.name, or_null(parameter.default_value));
  return result;
}

Pipeline with_steps(Pipeline pipeline, const Compiled& compiled, const Json& values, const Json& items,
                    render::Problems& problems) {
  const Json known = values_or_defaults(pipeline.parameters, values);
  const std::string folder = std::filesystem::absolute(pipeline.file).parent_path();
  pipeline.steps = TaskWalk(compiled, known, items, folder, problems).run();
  if (pipeline.steps.empty()) refuse(problems, "root.dag", "the pipeline has no tasks");
  problems.raise("cannot run the compiled pipeline " + pipeline.file);
  return pipeline;
}

}  // namespace

bool is_compiled(const std::vector<yaml::Node>& documents) {
  return !documents.empty() && (documents[0].find("schemaVersion") || documents[0].find("pipelineSpec"));
}

Json flag_value(const Pipeline& pipeline, const render::Parameter& parameter, std::string_view text) {
  const bool is_bare_list = parameter.type == render::Type::list && !text.starts_with('[');
  if (is_bare_list && is_compiled(yaml::parse(pipeline.text, pipeline.file)))
    throw usage_error("\"" + std::string(text) + "\" is not a list; write [1, 2] or [\"a\", \"b\"]");
  return render::value_of(parameter, text);
}

Pipeline import(const std::vector<yaml::Node>& documents, const std::string& file, std::string_view text) {
  render::Problems problems(file);
  const auto compiled = std::make_shared<const Compiled>(compiled_parts(documents, text, problems));
  Pipeline pipeline;
  pipeline.file = file;
  pipeline.text = text;
  pipeline.name = label_of(string_at(compiled->spec, {"pipelineInfo", "name"}), kLongestPipelineName);
  pipeline.parameters = parameters_of(*compiled, problems);
  pipeline = with_steps(std::move(pipeline), *compiled, Json::object(), Json::object(), problems);
  pipeline.for_values = [compiled, plain = pipeline](const Json& values, const Json& items) {
    render::Problems problems_of_values(plain.file);
    return with_steps(plain, *compiled, values, items, problems_of_values);
  };
  return pipeline;
}

}  // namespace kml::pipeline::kfp
