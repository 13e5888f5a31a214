#pragma once

#include <string>

#include "kml/core/json.h"

namespace kml::jobs {

/// Whether a container may run a Python program that keeps its lines back: PYTHONUNBUFFERED is not set, and
/// its command names Python, or is the image's own.
bool may_keep_lines(const Json& pod, const std::string& container);

/// What to tell of a job that runs without a word.
std::string silence_in_words(const std::string& job, bool keeps_lines);

}  // namespace kml::jobs
