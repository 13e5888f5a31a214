#include "job/render/placeholder.h"

#include "kml/base/error.h"

namespace kml::render {

std::vector<Piece> split_placeholders(std::string_view scalar) {
  std::vector<Piece> pieces;
  const auto add_text = [&](std::string_view text) {
    if (pieces.empty() || pieces.back().is_reference) pieces.push_back({});
    pieces.back().text += text;
  };
  while (!scalar.empty()) {
    const size_t dollar = scalar.find('$');
    if (dollar != 0) add_text(scalar.substr(0, dollar));
    if (dollar == std::string_view::npos) break;
    scalar.remove_prefix(dollar);
    if (scalar.starts_with("${")) {
      const size_t end = scalar.find('}');
      if (end == std::string_view::npos)
        throw usage_error("\"${\" has no \"}\"; write \"$${\" for a literal \"${\"");
      if (end == 2) throw usage_error("\"${}\" has no name");
      pieces.push_back({true, std::string(scalar.substr(2, end - 2))});
      scalar.remove_prefix(end + 1);
    } else {
      add_text("$");
      scalar.remove_prefix(scalar.starts_with("$$") ? 2 : 1);
    }
  }
  return pieces;
}

bool is_form_key(std::string_view key) {
  return key.size() > 1 && key[0] == '$' && key[1] != '{' && key[1] != '$';
}

std::string embedded(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) throw usage_error("it has no value");
  if (value.is_structured())
    throw usage_error(std::string("a ") + (value.is_array() ? "list" : "map") +
                      " cannot be inserted into a string");
  return value.dump();
}

}  // namespace kml::render
