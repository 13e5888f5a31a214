#pragma once

#include <functional>
#include <istream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::job {

/// Removes the values of secret variables from a manifest's containers, so that the manifest can be written
/// to a file.
void take_out_secrets(Json& object);

/// Restores the removed values. Throws usage Error with the names of the variables for which `value_of` has
/// no value.
void put_in_secrets(std::vector<Json>& objects, const std::function<std::string(const char*)>& value_of);

/// Reads the values of secret variables from their sources. Removes one newline from the end of a file or of
/// standard input. Throws a single usage Error for all problems. The Error never contains a value.
std::map<std::string, std::string> read_secret_values(std::span<const spec::SecretVariable> variables,
                                                      std::istream& standard_input);

}  // namespace kml::job
