#pragma once

#include <span>
#include <string_view>

namespace kml::cli {

/// What the manual says of a flag.
struct FlagText {
  std::string_view name;  ///< the long one
  std::string_view sentences;
  std::string_view path = {};  ///< of the command; empty for all that have no text of their own
};

/// Of the commands that act inside a running pod.
std::span<const FlagText> flag_texts_of_streams();

}  // namespace kml::cli
