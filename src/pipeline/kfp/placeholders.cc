#include "pipeline/kfp/placeholders.h"

#include "kml/base/error.h"

namespace kml::pipeline::kfp {

namespace {

using IsPresent = std::function<bool(const std::string& input)>;

Error malformed(const Json& part) {
  return usage_error("malformed placeholder " + compact_text(part),
                     "it must be a string, {\"Concat\": [...]} or {\"IfPresent\": {...}}");
}

void unfold(const Json& part, const IsPresent& is_present, std::vector<std::string>& words) {
  if (part.is_string()) return words.push_back(part);
  if (part.is_array()) {
    for (const Json& item : part) unfold(item, is_present, words);
  } else if (const Json* parts = find(part, {"Concat"}); parts && parts->is_array()) {
    std::vector<std::string> texts;
    unfold(*parts, is_present, texts);
    std::string& word = words.emplace_back();
    for (const std::string& text : texts) word += text;
  } else if (const Json* choice = find(part, {"IfPresent"}); choice && choice->is_object()) {
    const char* branch = is_present(string_at(*choice, {"InputName"})) ? "Then" : "Else";
    if (const Json* chosen = find(*choice, {branch})) unfold(*chosen, is_present, words);
  } else if (!part.is_null()) {
    throw malformed(part);
  }
}

}  // namespace

std::string substituted(std::string_view text,
                        const std::function<std::string(const std::string& name)>& value_of) {
  std::string result;
  while (true) {
    const size_t begin = text.find("{{$");
    const size_t end = begin == std::string_view::npos ? begin : text.find("}}", begin);
    if (end == std::string_view::npos) return result.append(text);
    result.append(text.substr(0, begin));
    std::string_view name = text.substr(begin + 3, end - begin - 3);
    if (!name.empty() && name[0] != '.') {  // the text is for the program, for example part of a template
      result.append(text.substr(begin, 3));
      text.remove_prefix(begin + 3);
      continue;
    }
    if (!name.empty()) name.remove_prefix(1);
    result += value_of(std::string(name));
    text.remove_prefix(end + 2);
  }
}

std::string key_in(const std::string& name, std::string_view group) {
  if (!name.starts_with(group)) return {};
  const std::string_view rest = std::string_view(name).substr(group.size());
  if (rest.size() < 5 || rest[0] != '[' || (rest[1] != '\'' && rest[1] != '"')) return {};
  const size_t end = rest.find(rest[1], 2);
  return end == std::string_view::npos ? "" : std::string(rest.substr(2, end - 2));
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : compact_text(value);
}

std::vector<std::string> unfolded(const std::vector<std::string>& arguments, const IsPresent& is_present) {
  std::vector<std::string> words;
  for (const std::string& argument : arguments) {
    const bool is_structure =
        argument.starts_with("{\"Concat\": ") || argument.starts_with("{\"IfPresent\": ");
    if (is_structure)
      unfold(parse_json(argument, "an argument"), is_present, words);
    else
      words.push_back(argument);
  }
  return words;
}

}  // namespace kml::pipeline::kfp
