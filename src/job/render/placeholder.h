#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/job/render/evaluate.h"

namespace kml::render {

/// A part of a scalar: plain text, or the name between `${` and `}`.
struct Piece {
  bool is_reference = false;
  std::string text;
};

/// Splits `a${b}c` into pieces, and replaces `$$` by `$`. Throws usage Error for a `${` without a name or
/// without `}`.
std::vector<Piece> split_placeholders(std::string_view scalar);

/// Whether a mapping's key marks a node form, such as `$if`. `$$if` and `${p}` do not.
bool is_form_key(std::string_view key);

}  // namespace kml::render
