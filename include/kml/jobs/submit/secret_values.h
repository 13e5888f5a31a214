#pragma once

#include <istream>
#include <map>
#include <span>
#include <string>

#include "kml/spec/submit_spec.h"

namespace kml::jobs {

/// The values of secret variables, from where each is to be read; one line's end is cut off those of files
/// and of standard input. Throws one usage Error with every problem, and shows no value in it.
std::map<std::string, std::string> read_secret_values(std::span<const spec::SecretVariable> variables,
                                                      std::istream& standard_input);

}  // namespace kml::jobs
