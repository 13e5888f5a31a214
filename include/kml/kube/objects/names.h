#pragma once

#include <string>
#include <string_view>

namespace kml::api {

/// Why the text is not a DNS-1123 label; empty if it is one. Names of jobs and namespaces must be such
/// labels, because host names of pods contain them.
std::string dns_label_problem(std::string_view text);
/// Why the text is not a DNS-1035 label, which also starts with a letter; empty if it is one. Many versions
/// of Kubernetes require such names for Services.
std::string dns_1035_label_problem(std::string_view text);
/// Why the text is not a DNS-1123 subdomain; empty if it is one. Most other objects have such names.
std::string dns_subdomain_problem(std::string_view text);
/// Why the text cannot be the key or the value of a Kubernetes label; empty if it can.
std::string label_key_problem(std::string_view text);
std::string label_value_problem(std::string_view text);

/// Makes a DNS-1123 label from the text: in lower case, with "-" between its runs of letters and digits, and
/// at most `limit` characters. "job" if no characters remain.
std::string to_dns_label(std::string_view text, size_t limit = 63);
/// Makes a DNS-1035 label from the text, like to_dns_label(), but with "job-" before a digit.
std::string to_dns_1035_label(std::string_view text, size_t limit = 63);

}  // namespace kml::api
