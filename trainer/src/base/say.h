#pragma once

#include <string>

namespace trainer {

/// Makes all later lines start with "kml-trainer[RANK]: ".
void speak_as_rank(unsigned rank);

/// The text with which each line begins.
const std::string& speaker();

/// Writes a line for people to standard error, with a single write.
void say(const std::string& text);

}  // namespace trainer
