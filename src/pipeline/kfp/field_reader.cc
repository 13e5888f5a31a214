#include "pipeline/kfp/field_reader.h"

#include "kml/base/text.h"
#include "pipeline/kfp/placeholders.h"

namespace kml::pipeline::kfp {

std::string without_placeholders(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '$' ? "$$" : std::string(1, c);
  return escaped;
}

std::optional<std::string> FieldReader::text_of_input(const Binding& binding, const std::string& field) {
  if (binding.kind == Binding::Kind::none) return {};
  if (binding.kind == Binding::Kind::constant) {
    if (binding.value.is_null()) return {};
    return without_placeholders(text_of(binding.value));
  }
  if (binding.kind != Binding::Kind::output || !binding.keys.empty() || !binding.path.empty()) {
    wrong(field, "kml cannot set this from a part of another task's output");
    return {};
  }
  Binding read = binding;
  add_inputs(read, "setting", false, step_);
  return "${in." + read.input + "}";
}

std::string FieldReader::filled(const std::string& text, const std::string& field) {
  std::string result;
  size_t begin = 0;
  for (size_t at = 0; (at = text.find("{{$.", begin)) != std::string::npos;) {
    const size_t end = text.find("}}", at);
    if (end == std::string::npos) break;
    const std::string name = text.substr(at + 4, end - at - 4);
    result += without_placeholders(text.substr(begin, at - begin));
    const auto input = leaf_.inputs.find(key_in(name, "inputs.parameters"));
    if (input == leaf_.inputs.end())
      wrong(field, "kml does not support \"{{$." + name + "}}\" here");
    else
      result += text_of_input(input->second, field).value_or("");
    begin = end + 2;
  }
  return result + without_placeholders(text.substr(begin));
}

Binding FieldReader::source(const Json& object) const {
  if (const Json* value = find(object, {"runtimeValue", "constant"})) return constant(*value);
  const auto input = leaf_.group_inputs.find(string_at(object, {"componentInputParameter"}));
  if (input != leaf_.group_inputs.end()) return input->second;
  if (const Json* output = find(object, {"taskOutputParameter"}))
    return leaf_.output_of(string_at(*output, {"producerTask"}), string_at(*output, {"outputParameterKey"}));
  return {};
}

std::optional<std::string> FieldReader::name_in(const Json& object, const char* old_key, const char* key,
                                                const std::string& field) {
  if (const Json* newer = find(object, {key})) return text_of_input(source(*newer), field);
  const std::string name = string_at(object, {old_key});
  if (name.empty()) return {};
  return without_placeholders(name);
}

}  // namespace kml::pipeline::kfp
