#pragma once

#include <string>
#include <string_view>

namespace kml::api {

/// The fault in the text as a DNS-1123 label; empty if it is valid. Names of jobs and namespaces must
/// be labels, because host names of pods contain them.
std::string dns_label_problem(std::string_view text);
/// The same for a DNS-1035 label, which also starts with a letter. Services have such names.
std::string dns_1035_label_problem(std::string_view text);
/// The same for a DNS-1123 subdomain. Most other objects have such names.
std::string dns_subdomain_problem(std::string_view text);
/// The same for the key and the value of a Kubernetes label.
std::string label_key_problem(std::string_view text);
std::string label_value_problem(std::string_view text);

/// The nearest DNS-1123 label: in lower case, with "-" in place of all characters other than letters and
/// digits, and at most `limit` characters. "job" if no characters remain.
std::string to_dns_label(std::string_view text, size_t limit = 63);
/// The same with "job-" before a digit, so that it is also a DNS-1035 label.
std::string to_dns_1035_label(std::string_view text, size_t limit = 63);

}  // namespace kml::api
