#pragma once

#include <optional>
#include <string>

namespace kml::sweep {

/// What whoever stops a sweep wants of the trials that run.
enum class StopWish { none, drain, now };  ///< drain: they go on to their ends

/// As a file, or an object's field, tells it; empty where there is none.
inline StopWish stop_wish_of(const std::optional<std::string>& text) {
  return !text ? StopWish::none : *text == "drain" ? StopWish::drain : StopWish::now;
}
inline const char* text_of(StopWish wish) {
  return wish == StopWish::drain ? "drain" : "now";
}

}  // namespace kml::sweep
