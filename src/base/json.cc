#include "kml/base/json.h"

#include <fmt/format.h>

#include "base/parse_guard.h"
#include "kml/base/error.h"
#include "kml/base/exception_text.h"

namespace kml {

namespace {

constexpr int kMaxDepth = 512;
/// The assumed memory, in bytes, of an object's member with its key.
constexpr size_t kValueSize = 100;

/// Builds the value as Json::parse() does. Json::parse() with a callback that checks limits would be slow:
/// after each object in a list, it looks at all earlier values in the list.
class LimitedBuilder : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  LimitedBuilder(Json& value, std::string_view source)
      : json_sax_dom_parser(value), source_(source), guard_(source, kValueSize) {}

  bool null() {
    take();
    return json_sax_dom_parser::null();
  }
  bool boolean(bool value) {
    take();
    return json_sax_dom_parser::boolean(value);
  }
  bool number_integer(Json::number_integer_t value) {
    take();
    return json_sax_dom_parser::number_integer(value);
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    take();
    return json_sax_dom_parser::number_unsigned(value);
  }
  bool number_float(Json::number_float_t value, const std::string& text) {
    take();
    return json_sax_dom_parser::number_float(value, text);
  }
  bool string(std::string& value) {
    take();
    return json_sax_dom_parser::string(value);
  }
  bool start_object(size_t size) {
    enter();
    return json_sax_dom_parser::start_object(size);
  }
  bool end_object() {
    --depth_;
    return json_sax_dom_parser::end_object();
  }
  bool start_array(size_t size) {
    enter();
    return json_sax_dom_parser::start_array(size);
  }
  bool end_array() {
    --depth_;
    return json_sax_dom_parser::end_array();
  }

 private:
  void take() { guard_.take_value(); }
  void enter() {
    take();
    if (++depth_ > kMaxDepth)
      throw Error(ErrorCode::failure, "cannot read JSON from " + std::string(source_),
                  "it is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }

  std::string_view source_;
  ParseGuard guard_;
  int depth_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, std::string_view source) {
  Json value;
  LimitedBuilder builder(value, source);
  try {
    Json::sax_parse(text, &builder);
    return value;
  } catch (const Json::exception& e) {  // this is also thrown for a number that is out of range
    throw Error(ErrorCode::failure, "cannot read JSON from " + std::string(source), parse_fault(e, text));
  }
}

std::string json_text(const Json& value, int indent) {
  const std::string text = value.dump(indent, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : '\0';
    if (text[i] == '\x7F') {
      out += "\\u007f";
    } else if (text[i] == '\xC2' && next >= 0x80 && next <= 0x9F) {
      out += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string compact_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* find(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* value = &object;
  for (std::string_view key : path) {
    if (!value->is_object()) return nullptr;
    auto it = value->find(key);
    if (it == value->end()) return nullptr;
    value = &*it;
  }
  return value;
}

std::string string_at(const Json& object, std::initializer_list<std::string_view> path,
                      std::string fallback) {
  const Json* value = find(object, path);
  return value && value->is_string() ? value->get<std::string>() : std::move(fallback);
}

long long int_at(const Json& object, std::initializer_list<std::string_view> path, long long fallback) {
  const Json* value = find(object, path);
  return value && value->is_number_integer() ? value->get<long long>() : fallback;
}

bool bool_at(const Json& object, std::initializer_list<std::string_view> path, bool fallback) {
  const Json* value = find(object, path);
  return value && value->is_boolean() ? value->get<bool>() : fallback;
}

const Json& array_at(const Json& object, std::initializer_list<std::string_view> path) {
  static const Json empty = Json::array();
  const Json* value = find(object, path);
  return value && value->is_array() ? *value : empty;
}

const Json& object_at(const Json& object, std::initializer_list<std::string_view> path) {
  static const Json empty = Json::object();
  const Json* value = find(object, path);
  return value && value->is_object() ? *value : empty;
}

void set_said(Json& object, Json members) {
  for (auto& [key, value] : members.items()) {
    const bool is_empty_text = value.is_string() && value.get_ref<const std::string&>().empty();
    if (!value.empty() && !is_empty_text) object[key] = std::move(value);
  }
}

}  // namespace kml
