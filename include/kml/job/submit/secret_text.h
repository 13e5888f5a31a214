#pragma once

#include <string_view>

namespace kml::job {

/// Whether an environment variable with that name probably contains a secret: HF_TOKEN, DB_PASSWORD,
/// AWS_SECRET_ACCESS_KEY.
bool names_secret(std::string_view variable);

/// Like names_secret(), but also true if the value is a URL with a password, or a key in a known format.
bool is_secret(std::string_view variable, std::string_view value);

}  // namespace kml::job
