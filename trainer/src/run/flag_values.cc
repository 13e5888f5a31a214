#include "run/flag_values.h"

#include <cstdio>

#include "base/error.h"

namespace trainer {

void usage_error(const std::string& what, const std::string& why, const std::string& fix) {
  throw Error(what, why, fix.empty() ? "kml-trainer --help lists the flags" : fix, 2);
}

void number_error(const std::string& flag, const std::string& text, bool whole, double least, double most) {
  char range[80];
  snprintf(range, sizeof range, "from %.10g to %.10g", least, most);
  usage_error("--" + flag + "=" + text,
              std::string("it takes a ") + (whole ? "whole number " : "number ") + range);
}

}  // namespace trainer
