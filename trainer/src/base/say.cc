#include "base/say.h"

#include <cstdio>

namespace trainer {

namespace {

std::string& name() {
  static std::string text = "kml-trainer: ";
  return text;
}

}  // namespace

void speak_as_rank(unsigned rank) {
  name() = "kml-trainer[" + std::to_string(rank) + "]: ";
}

const std::string& speaker() {
  return name();
}

void say(const std::string& text) {
  fputs((speaker() + text + "\n").c_str(), stderr);
}

}  // namespace trainer
