#pragma once

#include <functional>
#include <istream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/spec/submit_spec.h"

namespace kml::jobs {

/// Whether an environment variable of that name is likely to hold a secret: HF_TOKEN, DB_PASSWORD,
/// AWS_SECRET_ACCESS_KEY.
bool names_secret(std::string_view variable);

/// The same, judged also by the value: a URL with a password, a key of a known kind.
bool is_secret(std::string_view variable, std::string_view value);

/// Takes the plain values of such variables out of a manifest's containers, for a file that stays.
void take_out_secrets(Json& object);

/// Puts values in where they were taken out. Throws usage Error with the names for which `value_of` has none.
void put_in_secrets(std::vector<Json>& objects, const std::function<std::string(const char*)>& value_of);

/// The values of secret variables, from where each is to be read; one line's end is cut off those of files
/// and of standard input. Throws one usage Error with every problem, and shows no value in it.
std::map<std::string, std::string> read_secret_values(std::span<const spec::SecretVariable> variables,
                                                      std::istream& standard_input);

}  // namespace kml::jobs
