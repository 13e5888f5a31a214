#pragma once

#include <string>
#include <string_view>

namespace kml::api {

/// Empty if the text is a DNS-1123 label (as names of jobs and namespaces must be: their pods' host names
/// carry them), else what is wrong with it.
std::string dns_label_problem(std::string_view text);
/// The same for a DNS-1123 subdomain (names of most other objects).
std::string dns_subdomain_problem(std::string_view text);
/// The same for the key, and for the value, of a label.
std::string label_key_problem(std::string_view text);
std::string label_value_problem(std::string_view text);

/// The nearest DNS-1123 label: lower case, others than letters and digits as "-", at most `limit` characters;
/// "job" where nothing is left.
std::string to_dns_label(std::string_view text, size_t limit = 63);

}  // namespace kml::api
