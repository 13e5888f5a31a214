#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::job {

/// Whether a main container may run a Python program that buffers its output: its command names Python or is
/// the image's default, and neither PYTHONUNBUFFERED nor -u is set.
bool may_keep_lines(const Json& pod, const std::string& container);

/// The message for a running job that has printed nothing.
std::string silence_in_words(const std::string& job, bool keeps_lines);

}  // namespace kml::job
