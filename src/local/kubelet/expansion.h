#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kml::local {

/// Replaces $(NAME) by the variable's value. An unknown one is left as it is, and $$ stands for $, as in
/// Kubernetes (k8s.io/kubernetes/third_party/forked/golang/expansion).
std::string expand_variables(std::string_view text,
                             const std::map<std::string, std::string, std::less<>>& variables);

}  // namespace kml::local
