#pragma once

#include <string>

#include "kml/core/error.h"

namespace kml::pipeline {

/// What a step's cause says of an error.
inline std::string cause_of(const Error& error) {
  std::string text = error.message + (error.why.empty() ? "" : ": " + error.why);
  for (const Problem& problem : error.problems) text += ": " + problem.text;
  return text;
}

}  // namespace kml::pipeline
