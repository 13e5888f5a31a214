#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kml::ui {

/// A row of bars for values, from ▁ to █, or from "_" to "#" if `utf8` is false. The heights range from the
/// smallest shown value to the largest. If there are more values than columns, leaves out some, but not the
/// last one. Values must be finite.
std::string sparkline(std::span<const double> values, size_t columns, bool utf8);

}  // namespace kml::ui
