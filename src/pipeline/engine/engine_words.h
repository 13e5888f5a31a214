#pragma once

#include <string>

#include "kml/base/error.h"

namespace kml::pipeline {

/// The text with which an error is shown as the cause of the end of a step.
inline std::string cause_of(const Error& error) {
  std::string text = error.message + (error.why.empty() ? "" : ": " + error.why);
  for (const Problem& problem : error.problems) text += ": " + problem.text;
  return text;
}

}  // namespace kml::pipeline
