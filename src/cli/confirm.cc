#include "cli/confirm.h"

#include <unistd.h>

#include <iostream>
#include <ostream>

#include "kml/base/text.h"

namespace kml::cli {

bool asks_on(const Streams& streams) {
  return ::isatty(STDIN_FILENO) == 1 && streams.err_is_terminal;
}

bool confirmed(Streams& streams, const std::string& question) {
  streams.err << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  answer = lower(trim(answer));
  return answer == "y" || answer == "yes";
}

}  // namespace kml::cli
