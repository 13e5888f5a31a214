#pragma once

#include <functional>
#include <string>

#include "live/screen/keys.h"

namespace kml::live {

/// A line that the user types, or a question, in the last row of the screen.
struct Prompt {
  enum class Kind { filter, view, question, port };
  Kind kind = Kind::filter;
  std::string label;        ///< "/", ":" or "cancel bert? [y/N] "
  std::string text = {};    ///< what was typed
  std::string before = {};  ///< the filter that applies again if the user cancels the input
  /// for a question: called if the user agrees; for a port: called with the text
  std::function<void(const std::string& text)> act = {};

  enum class Result { typing, done, given_up };
  Result take(const Key& key);
};

}  // namespace kml::live
