#include "kml/base/word_table.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

namespace {

constexpr std::pair<OutputKind, std::string_view> kKindNames[] = {
    {OutputKind::dataset, "dataset"}, {OutputKind::model, "model"},   {OutputKind::artifact, "artifact"},
    {OutputKind::file, "file"},       {OutputKind::folder, "folder"}, {OutputKind::metric, "metric"},
    {OutputKind::value, "value"},
};

}  // namespace

std::string_view name_of(OutputKind kind) {
  return word_for(kKindNames, kind);
}

std::optional<OutputKind> output_kind_of(std::string_view name) {
  return value_for(kKindNames, name);
}

std::vector<std::string> output_kind_names() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kKindNames) names.emplace_back(name);
  return names;
}

}  // namespace kml::pipeline
