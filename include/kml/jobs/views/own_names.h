#pragma once

#include <string>
#include <string_view>

namespace kml::jobs {

/// "train-x7f2q": the base, cut where the whole would be longer than a DNS label, and a suffix of five
/// letters.
std::string name_with_suffix(std::string base, const std::string& suffix);
/// With a random suffix.
std::string drawn_name(const std::string& base);
/// The base of such a name again; any other name as it is.
std::string base_of_drawn_name(const std::string& name);

/// The Secret of a submit's secret variables.
std::string secret_object_name(const std::string& submit_id);

/// Begins the names of the Secrets that hold code.
inline constexpr std::string_view kCodeSecretPrefix = "kml-code-";
bool is_code_secret(std::string_view name);

}  // namespace kml::jobs
