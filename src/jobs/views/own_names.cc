#include "kml/jobs/views/own_names.h"

#include <algorithm>

#include "kml/core/text.h"

namespace kml::jobs {

std::string name_with_suffix(std::string base, const std::string& suffix) {
  constexpr size_t kLongestBase = 57;  // a DNS label's 63, less "-" and the suffix
  base.resize(std::min(base.size(), kLongestBase));
  while (base.ends_with('-')) base.pop_back();
  return base + "-" + suffix;
}

std::string drawn_name(const std::string& base) {
  return name_with_suffix(base, random_suffix());
}

std::string base_of_drawn_name(const std::string& name) {
  constexpr size_t kSuffix = 5;
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  size_t dash = name.rfind('-');
  bool drawn = dash != std::string::npos && dash > 0 && name.size() - dash - 1 == kSuffix &&
               name.find_first_not_of(kAlphabet, dash + 1) == std::string::npos;
  return drawn ? name.substr(0, dash) : name;
}

std::string secret_object_name(const std::string& submit_id) {
  return "kml-" + submit_id;
}

bool is_code_secret(std::string_view name) {
  return name.starts_with(kCodeSecretPrefix);
}

}  // namespace kml::jobs
