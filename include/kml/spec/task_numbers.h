#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kml::spec {

/// The numbers of an array's tasks: "0-9", "1-5,8", "0-90:10". Kubernetes counts a Job's tasks from 0, by 1:
/// its index is a number's place in this list.
class TaskNumbers {
 public:
  /// The numbers, or what is wrong with the text.
  static std::variant<TaskNumbers, std::string> parse(std::string_view text);

  int count() const;
  /// Empty beyond the last.
  std::optional<int> at(int index) const;
  std::optional<int> index_of(int number) const;
  /// Whether each number is its own index.
  bool are_indexes() const;
  /// As parse() takes it, each part as FIRST-LAST:STEP.
  std::string text() const;

 private:
  struct Range {
    int first = 0, last = 0, step = 1;
    int64_t count() const { return (int64_t{last} - first) / step + 1; }
  };
  static std::variant<Range, std::string> parse_range(std::string_view text);

  std::vector<Range> ranges_;
};

}  // namespace kml::spec
