#include "kml/kube/objects/names.h"

#include <algorithm>
#include <cctype>

namespace kml::api {

namespace {

bool is_lower_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_alphanumeric(char c) {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

std::string too_long(size_t limit) {
  return "is longer than " + std::to_string(limit) + " characters";
}

/// The fault by the rules for label values, and for the part of a label key after the slash (validation.go,
/// qualifiedNameFmt).
std::string qualified_name_problem(std::string_view text) {
  if (text.size() > 63) return too_long(63);
  bool ok = is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
            std::all_of(text.begin(), text.end(),
                        [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
  return ok ? ""
            : "may contain only letters, digits, \"-\", \"_\" and \".\", and must start and end with a "
              "letter or digit";
}

}  // namespace

std::string dns_label_problem(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > 63) return too_long(63);
  bool ok =
      is_lower_alphanumeric(text.front()) && is_lower_alphanumeric(text.back()) &&
      std::all_of(text.begin(), text.end(), [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
  return ok ? ""
            : "may contain only lower-case letters, digits and \"-\", and must start and end with a letter "
              "or digit";
}

std::string dns_1035_label_problem(std::string_view text) {
  const std::string problem = dns_label_problem(text);
  const bool begins_with_digit = problem.empty() && text.front() >= '0' && text.front() <= '9';
  return begins_with_digit ? "must start with a letter" : problem;
}

std::string dns_subdomain_problem(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > 253) return too_long(253);
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('.', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    bool ok =
        !part.empty() && is_lower_alphanumeric(part.front()) && is_lower_alphanumeric(part.back()) &&
        std::all_of(part.begin(), part.end(), [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
    if (!ok)
      return "may contain only lower-case letters, digits, \"-\" and \".\", and each part must start and end "
             "with a letter or digit";
    begin = end + 1;
  }
  return {};
}

std::string label_key_problem(std::string_view text) {
  size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (std::string problem = dns_subdomain_problem(text.substr(0, slash)); !problem.empty())
      return "its part before the slash " + problem;
    text.remove_prefix(slash + 1);
  }
  return text.empty() ? "has no name" : qualified_name_problem(text);
}

std::string label_value_problem(std::string_view text) {
  return text.empty() ? "" : qualified_name_problem(text);
}

std::string to_dns_label(std::string_view text, size_t limit) {
  std::string label;
  for (unsigned char c : text) {
    char lower = static_cast<char>(std::tolower(c));
    if (is_lower_alphanumeric(lower))
      label += lower;
    else if (!label.empty() && label.back() != '-')
      label += '-';
  }
  label.resize(std::min(label.size(), limit));
  while (!label.empty() && label.back() == '-') label.pop_back();
  return label.empty() ? "job" : label;
}

std::string to_dns_1035_label(std::string_view text, size_t limit) {
  const std::string label = to_dns_label(text, limit);
  return dns_1035_label_problem(label).empty() ? label : to_dns_label("job-" + label, limit);
}

}  // namespace kml::api
