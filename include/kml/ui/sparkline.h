#pragma once

#include <span>
#include <string>

namespace kml::ui {

/// A row of bars, ▁ to █, from the least value shown to the largest; "_" to "#" where `utf8` is false. More
/// values than columns are thinned out, the last one stays. Only finite values.
std::string sparkline(std::span<const double> values, size_t columns, bool utf8);

}  // namespace kml::ui
