#include "sweep/spec/replaced_path.h"

#include <cctype>
#include <string_view>

namespace kml::sweep {

namespace {

bool is_of_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("_-./{").find(c) != std::string::npos;
}

bool replace_in(std::string& text, const std::string& path, const std::string& by) {
  bool found = false;
  for (size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1)) {
    size_t end = at + path.size();
    if (end < text.size() && text[end] == '/') ++end;
    if ((at > 0 && is_of_path(text[at - 1])) || (end < text.size() && is_of_path(text[end]))) continue;
    text.replace(at, end - at, by);
    at += by.size() - 1;
    found = true;
  }
  return found;
}

}  // namespace

bool replace_path(Json& manifest, const std::string& path, const std::string& by) {
  if (manifest.is_string()) return replace_in(manifest.get_ref<std::string&>(), path, by);
  bool found = false;
  if (manifest.is_structured())
    for (Json& child : manifest) found = replace_path(child, path, by) || found;
  return found;
}

}  // namespace kml::sweep
