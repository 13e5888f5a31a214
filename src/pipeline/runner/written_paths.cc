#include "pipeline/runner/written_paths.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace kml::pipeline {

namespace {

/// The names of the steps that must end before the step starts.
std::set<std::string> steps_before(const Pipeline& pipeline, const Step& step) {
  std::set<std::string> before;
  std::vector<const Step*> open = {&step};
  while (!open.empty()) {
    const Step* next = open.back();
    open.pop_back();
    for (const std::string& name : dependencies(*next))
      for (const Step* each : pipeline.all_of(name))
        if (before.insert(each->name).second) open.push_back(each);
  }
  return before;
}

}  // namespace

std::vector<std::string> written_paths(const Pipeline& pipeline, const Step& step) {
  std::vector<std::string> paths;
  const auto add = [&](const Step& maker) {
    for (const Output& output : maker.outputs)
      if (!output.path.empty())
        paths.push_back(std::filesystem::path(output.path).lexically_normal().string());
  };
  add(step);
  if (std::ranges::all_of(pipeline.steps, [](const Step& each) {
        return std::ranges::all_of(each.outputs, [](const Output& output) { return output.path.empty(); });
      }))
    return paths;
  const std::set<std::string> before = steps_before(pipeline, step);
  for (const Step& other : pipeline.steps)
    if (!before.contains(other.name)) add(other);
  return paths;
}

bool is_written(const std::string& file, const std::vector<std::string>& paths) {
  return std::ranges::any_of(
      paths, [&](const std::string& path) { return file == path || file.starts_with(path + "/"); });
}

}  // namespace kml::pipeline
