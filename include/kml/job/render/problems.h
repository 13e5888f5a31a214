#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/yaml.h"

namespace kml::render {

/// Collects the faults of one file, to report them all at once.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(yaml::Mark mark, std::string path, std::string text) {
    list_.push_back({file_, mark.line, mark.column, std::move(path), std::move(text)});
  }
  void add(Problem problem) { list_.push_back(std::move(problem)); }
  /// Adds the problems of an Error about a part of the file. An Error without problems is added as one
  /// problem at `mark`.
  void add(const Error& error, yaml::Mark mark, std::string path) {
    if (error.problems.empty()) add(mark, std::move(path), error.message);
    list_.insert(list_.end(), error.problems.begin(), error.problems.end());
  }

  /// Whether the node is a mapping; adds a problem otherwise.
  bool require_mapping(const yaml::Node& node, const std::string& path) {
    if (node.kind == yaml::Kind::mapping) return true;
    add(node.mark, path, "this must be a mapping, not " + std::string(node.kind_name()));
    return false;
  }

  void add_all(const Problems& others) {
    list_.insert(list_.end(), others.list_.begin(), others.list_.end());
  }

  const std::string& file() const { return file_; }

  /// If problems were added, throws them as one Error, sorted by place.
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
