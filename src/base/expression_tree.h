#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml {

/// A node of an expression. A chain has all operands that operators of the same precedence join, because a
/// tree of pairs for `1+1+1+...` would become as deep as the text is long.
struct ExpressionNode {
  enum class Kind { literal, name, call, chain };
  struct Link {
    std::string_view sign;
    size_t at;
  };

  Kind kind;
  size_t begin = 0;       ///< the position in the text
  Json value = {};        ///< if literal
  std::string word = {};  ///< the name; for a call, the function's name, "!" or "-"
  std::vector<ExpressionNode> operands = {};
  std::vector<Link> links = {};  ///< for a chain: the operator before each operand except the first
};

/// The type of the value in words for messages: "a number" or "a list".
std::string type_of(const Json& value);

/// Whether the expression is a chain of + - * /.
bool is_calculation(const ExpressionNode& node);

/// The number of characters in a UTF-8 text.
size_t characters_in(std::string_view text);

/// An Error such as "column 18: WHAT", with the condition itself. `at` is a position in bytes.
Error error_at(std::string_view text, size_t at, const std::string& what, std::string fix = {});

}  // namespace kml
