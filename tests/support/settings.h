#pragma once

#include <string>
#include <vector>

#include "kml/job/spec/submit_spec.h"

namespace kml {

/// The settings that `--name value` on the command line would make.
inline std::vector<spec::Setting> flags(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<spec::Setting> settings;
  for (const auto& [name, value] : pairs)
    settings.push_back({name, value, {spec::Source::flag, "--" + name, 0, 0}});
  return settings;
}

/// Each problem in the form "place: text".
inline std::vector<std::string> problem_lines(const Error& error) {
  std::vector<std::string> lines;
  for (const Problem& problem : error.problems) {
    std::string line = problem.file;
    if (problem.line > 0) line += ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column);
    if (!problem.path.empty()) line += (line.empty() ? "" : " ") + problem.path;
    lines.push_back(line + ": " + problem.text);
  }
  return lines;
}

/// The problems of the Error that a function throws; empty if it throws none.
template <typename Function>
std::vector<std::string> problems_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return problem_lines(error);
  }
  return {};
}

}  // namespace kml
