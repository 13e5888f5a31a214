#pragma once

#include <string>

#include "kml/core/error.h"

namespace kml::pipeline {

/// What a step's cause says of an error.
inline std::string cause_of(const Error& error) {
  return error.message + (error.why.empty() ? "" : ": " + error.why);
}

}  // namespace kml::pipeline
