#pragma once

#include <string>

namespace trainer {

/// From now on lines begin with "kml-trainer[RANK]: ".
void speak_as_rank(unsigned rank);

/// What lines begin with.
const std::string& speaker();

/// A line for people, on standard error, by one call.
void say(const std::string& text);

}  // namespace trainer
