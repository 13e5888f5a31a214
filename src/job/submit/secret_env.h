#pragma once

#include <functional>
#include <istream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::job {

/// Whether an environment variable with that name is likely to hold a secret: HF_TOKEN, DB_PASSWORD,
/// AWS_SECRET_ACCESS_KEY.
bool names_secret(std::string_view variable);

/// Like names_secret(), but also checks the value: a URL with a password, or a key in a known format.
bool is_secret(std::string_view variable, std::string_view value);

/// Removes plain values of secret variables from a manifest's containers before the manifest is written to a
/// file.
void take_out_secrets(Json& object);

/// Restores the removed values. Throws usage Error with the names of variables without a value from
/// `value_of`.
void put_in_secrets(std::vector<Json>& objects, const std::function<std::string(const char*)>& value_of);

/// Reads the values of secret variables from their sources. Removes one trailing newline from files and
/// standard input. Throws one usage Error with all problems; the error never contains a value.
std::map<std::string, std::string> read_secret_values(std::span<const spec::SecretVariable> variables,
                                                      std::istream& standard_input);

}  // namespace kml::job
