#pragma once

#include <string>

#include "kml/base/error.h"

namespace kml::pipeline {

/// The text of an error that is shown as the cause of a step's end.
inline std::string cause_of(const Error& error) {
  std::string text = error.message + (error.why.empty() ? "" : ": " + error.why);
  for (const Problem& problem : error.problems) text += ": " + problem.text;
  return text;
}

}  // namespace kml::pipeline
