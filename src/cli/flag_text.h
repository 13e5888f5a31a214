#pragma once

#include <span>
#include <string_view>

namespace kml::cli {

/// The manual's text about a flag.
struct FlagText {
  std::string_view name;  ///< the long name
  std::string_view sentences;
  std::string_view path = {};  ///< the command's; empty for all commands without a text of their own
};

/// The texts of the commands that act inside a running pod.
std::span<const FlagText> flag_texts_of_streams();
/// The texts of schedules, also those of `kml submit`.
std::span<const FlagText> flag_texts_of_schedules();
/// The texts of `kml serve`.
std::span<const FlagText> flag_texts_of_serve();
/// The texts of `kml runs`.
std::span<const FlagText> flag_texts_of_runs();
/// The texts of the commands about GPU time, and of notifications.
std::span<const FlagText> flag_texts_of_accounting();

}  // namespace kml::cli
