#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/yaml.h"

namespace kml::render {

/// Collects the faults in a file, in order to report all of them at once.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(yaml::Mark mark, std::string path, std::string text) {
    list_.push_back({file_, mark.line, mark.column, std::move(path), std::move(text)});
  }
  void add(Problem problem) { list_.push_back(std::move(problem)); }
  /// Adds the problems of an Error about a part of the file. If the Error has no problems, adds one at
  /// `mark`.
  void add(const Error& error, yaml::Mark mark, std::string path) {
    if (error.problems.empty()) add(mark, std::move(path), error.message);
    list_.insert(list_.end(), error.problems.begin(), error.problems.end());
  }

  /// Returns whether the node is a mapping. Adds a problem if it is not.
  bool require_mapping(const yaml::Node& node, const std::string& path) {
    if (node.kind == yaml::Kind::mapping) return true;
    add(node.mark, path, "this must be a mapping, not " + std::string(node.kind_name()));
    return false;
  }

  void add_all(const Problems& others) {
    list_.insert(list_.end(), others.list_.begin(), others.list_.end());
  }

  const std::string& file() const { return file_; }

  /// If there are any problems, throws them as a single Error, sorted by position.
  void raise(std::string what, std::string fix = {}) const {
    if (list_.empty()) return;
    Error error = usage_error(std::move(what), "", std::move(fix));
    error.problems = list_;
    std::stable_sort(error.problems.begin(), error.problems.end(), [](const Problem& a, const Problem& b) {
      return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    throw error;
  }

 private:
  std::string file_;
  std::vector<Problem> list_;
};

}  // namespace kml::render
