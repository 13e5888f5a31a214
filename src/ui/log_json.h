#pragma once

#include <string>

#include "kml/jobs/logs/log_lines.h"

namespace kml::ui {

/// The start of an object, the same for all lines of a source: {"namespace":…,"pod":…
std::string json_of(const jobs::LogSource& source);

/// The rest of the line's object: its time where the node gave one, its text, and for a piece of a long line
/// "begins" or "ends" as false.
void append_json(const jobs::LogLine& line, std::string& out);

}  // namespace kml::ui
