#include "local/kubelet/expansion.h"

namespace kml::local {

std::string expand_variables(std::string_view text,
                             const std::map<std::string, std::string, std::less<>>& variables) {
  std::string expanded;
  while (!text.empty()) {
    const size_t dollar = std::min(text.find('$'), text.size());
    expanded += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.starts_with("$$")) {
      expanded += '$';
      text.remove_prefix(2);
      continue;
    }
    const size_t end = text.starts_with("$(") ? text.find(')') : std::string_view::npos;
    const auto found =
        end == std::string_view::npos ? variables.end() : variables.find(text.substr(2, end - 2));
    const size_t length = end == std::string_view::npos ? std::min<size_t>(1, text.size()) : end + 1;
    if (found != variables.end())
      expanded += found->second;
    else
      expanded += text.substr(0, length);
    text.remove_prefix(length);
  }
  return expanded;
}

}  // namespace kml::local
