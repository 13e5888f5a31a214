#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kml::spec {

/// The numbers of an array's tasks: "0-9", "1-5,8" or "0-90:10". Kubernetes numbers the tasks of a Job 0, 1,
/// 2, …; this completion index is the position in the list.
class TaskNumbers {
 public:
  /// Parses the numbers. Returns the fault if the text is invalid.
  static std::variant<TaskNumbers, std::string> parse(std::string_view text);

  int count() const;
  /// The number at this index; empty after the last one.
  std::optional<int> at(int index) const;
  std::optional<int> index_of(int number) const;
  /// Whether the numbers are a single range from 0 with step 1, so that each number is equal to its index.
  bool are_indexes() const;
  /// A text that parse() can read, in which each part has the form FIRST-LAST:STEP.
  std::string text() const;
  /// A text for people, as they would type it: "3,7,9-12,20-90:10".
  std::string in_words() const;

 private:
  struct Range {
    int first = 0, last = 0, step = 1;
    int64_t count() const { return (int64_t{last} - first) / step + 1; }
  };
  static std::variant<Range, std::string> parse_range(std::string_view text);

  std::vector<Range> ranges_;
};

}  // namespace kml::spec
