#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/render/evaluate.h"

namespace kml::render {

/// A part of a scalar: text, or the name between `${` and `}`.
struct Piece {
  bool is_reference = false;
  std::string text;
};

/// Splits `a${b}c`; `$$` becomes `$`. Throws Error (usage) for a `${` without a name or its end.
std::vector<Piece> split_placeholders(std::string_view scalar);

/// Whether a mapping's key is a node form (`$if`), which `$$if` and `${p}` are not.
bool is_form_key(std::string_view key);

}  // namespace kml::render
