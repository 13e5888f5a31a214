#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml {

/// A path into a JSON value, in gjson's path syntax (github.com/tidwall/gjson, SYNTAX.md). Supports the part
/// of this syntax that is needed for conditions on the status of Kubernetes objects.
///
///     status.conditions.0.type                       keys and indexes; "\." is a dot in a key
///     status.conditions.#(type=="Complete")          the first element that matches
///     status.conditions.#(type=="Complete")#         the list of all that match
///     status.conditions.#(type=="A")#|#(status=="True")#    "|" applies the rest to that list as a whole,
///                                                    "." to each of its elements
///     status.[@this].#(phase=="Succeeded")#          [@this] is a list of the value itself
///
/// A match compares a path (empty: the element itself) with a string in quotes, a number, true, false or null
/// by == != < <= > or >=, or requires only that the path exists. Values of different types are not equal.
class JsonQuery {
 public:
  /// Throws usage Error if the text does not follow this syntax.
  explicit JsonQuery(const std::string& text);

  /// The value at the path; empty if it does not exist.
  std::optional<Json> find(const Json& value) const;

 private:
  struct Step {
    enum class Kind { key, first, every, self, list_of_self };
    Kind kind = Kind::key;
    std::string key = {};         ///< the key, for Kind::key
    std::vector<Step> left = {};  ///< for first and every: the path whose value is compared
    /// for first and every: the comparison; empty if the path only has to exist
    std::string comparison = {};
    Json right = {};
    bool for_each = false;  ///< whether the next steps apply to each element of the list
  };
  class Parser;

  static std::optional<Json> find(const Json& value, const std::vector<Step>& steps, size_t at);
  static bool matches(const Json& value, const Step& step);

  std::vector<Step> steps_;
};

}  // namespace kml
