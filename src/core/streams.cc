#include "kml/core/streams.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>

#include "kml/core/files.h"

namespace kml {

Streams process_streams() {
  Streams streams{std::cout, std::cerr};
  streams.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  streams.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  streams.colours =
      streams.out_is_terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  winsize size{};
  if (streams.out_is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    streams.width = size.ws_col;
  return streams;
}

}  // namespace kml
