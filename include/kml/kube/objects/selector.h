#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::api {

/// A label selector, such as "a=b,c!=d,e in (f,g),h notin (i),j,!k". An object must match all parts.
class LabelSelector {
 public:
  /// Throws usage Error if the text is not a selector.
  static LabelSelector parse(std::string_view text);

  /// Makes a selector from an object with `matchLabels` and `matchExpressions`.
  static LabelSelector from_json(const Json& selector);

  /// `labels` is an object of strings, or null.
  bool matches(const Json& labels) const;

 private:
  enum class Operator { in, not_in, exists, does_not_exist };
  struct Requirement {
    std::string key;
    Operator op;
    std::vector<std::string> values;
  };
  std::vector<Requirement> requirements_;
};

/// A field selector, such as "metadata.name=x,status.phase!=Running". Compares the text at each path.
class FieldSelector {
 public:
  /// Throws usage Error if the text is not a selector.
  static FieldSelector parse(std::string_view text);
  bool matches(const Json& object) const;

 private:
  struct Requirement {
    std::vector<std::string> path;
    bool equal;
    std::string value;
  };
  std::vector<Requirement> requirements_;
};

}  // namespace kml::api
