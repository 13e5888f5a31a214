#pragma once

#include <string>

#include "kml/core/streams.h"
#include "kml/jobs/first_error/first_error.h"

namespace kml::ui {

/// Which pod of the job died first, how, when, and its last lines; as text, or as one JSON object.
void print_first_error(const Streams& streams, const std::string& job, const jobs::FirstError& first,
                       bool as_json);

}  // namespace kml::ui
