#include "pipeline/engine/condition_value.h"

#include "kml/base/value_text.h"

namespace kml::pipeline {

Json condition_value(const Pipeline& pipeline, const Json& params,
                     const std::function<const Json&(const Step&)>& outputs_of, const std::string& name) {
  const size_t dot = name.find('.');
  const std::string first = name.substr(0, dot), second = name.substr(dot + 1);
  if (first == "params") return params.value(second, Json());
  Json values = Json::array();
  for (const Step* step : pipeline.all_of(first))
    if (!step->items) values.push_back(as_written(object_at(outputs_of(*step), {second})));
  const Step* const single = pipeline.find(first);
  return single && !single->items ? values[0] : values;
}

}  // namespace kml::pipeline
