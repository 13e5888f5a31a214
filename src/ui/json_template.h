#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/ui/json_template.h"

namespace kml::ui {

/// A step of an expression, or a list of steps, which is the content of a pair of braces.
struct JsonTemplate::Node {
  enum class Kind { list, text, field, array, filter, number, word, wildcard, recursive, alternatives };
  Kind kind;
  std::string text = {};         ///< the literal, the field, the word, or the operator of a filter
  Json value = {};               ///< the value of a number or a boolean
  std::vector<Node> nodes = {};  ///< the items of a list, the two sides of a filter, or the alternatives

  /// The start, end or step of a slice.
  struct Bound {
    int value = 0;
    bool is_known = false, is_derived = false;
  };
  std::array<Bound, 3> bounds = {};
};

/// Parses a template. Throws usage Error.
std::vector<JsonTemplate::Node> parse_json_template(std::string_view text);

}  // namespace kml::ui
