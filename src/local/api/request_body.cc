#include "local/api/request_body.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/base/wire.h"
#include "local/api/api_error.h"
#include "local/api/protobuf_types.h"

namespace kml::local {

namespace {

struct Field {
  std::string name, type;
};
using Fields = std::map<uint64_t, Field>;

const Fields* fields_of(std::string_view type) {
  static const auto types = [] {
    std::map<std::string, Fields, std::less<>> found;
    for (const std::string& line : split(protobuf_types(), '\n')) {
      const size_t equals = line.find(" =");
      if (equals == std::string::npos) continue;
      Fields& fields = found[line.substr(0, equals)];
      for (const std::string& text : split(line.substr(equals + 2), ',')) {
        const std::vector<std::string> parts = split(trim(text), ' ');
        if (parts.size() == 3)
          fields[std::stoul(parts[0])] = {parts[1], parts[2]};  // a message may have no fields
      }
    }
    return found;
  }();
  auto found = types.find(type);
  return found == types.end() ? nullptr : &found->second;
}

Error unreadable() {
  return bad_request("the body of the request is not valid protobuf");
}

Error json_only(const std::string& what) {
  return api_error(415, "UnsupportedMediaType",
                   "the body of the request was in an unknown format - accepted media types include: "
                   "application/json: kml's embedded server does not read " +
                       what + " as protobuf");
}

Json read_message(std::string_view text, std::string_view type);

/// The value of an intstr.IntOrString: the number if its type is 0, otherwise the text.
Json int_or_string(const Json& message) {
  return int_at(message, {"type"}) == 0 ? Json(int_at(message, {"intVal"}))
                                        : Json(string_at(message, {"strVal"}));
}

/// The value of the field, whose type must not be a list or a map.
Json value_of(const WireReader& field, std::string_view type) {
  const bool is_number = type == "i" || type == "z" || type == "b" || type == "f";
  if (field.type != (is_number ? WireReader::Type::varint : WireReader::Type::bytes)) throw unreadable();
  if (type == "i" || type == "z") return static_cast<int64_t>(field.integer);
  if (is_number) return field.integer != 0;
  if (type == "s") return field.bytes;
  if (type == "y") return base64_encoded(field.bytes);
  if (type == "n") return int_or_string(read_message(field.bytes, "IntOrString"));
  if (type != "q") return read_message(field.bytes, type);
  WireReader quantity(field.bytes, unreadable);
  return quantity.next() == 0 ? Json("0") : Json(quantity.bytes);
}

/// Reads an entry of a map, which is a message with a key (field 1) and a value (field 2).
void read_entry(Json& map, std::string_view text, std::string_view type) {
  WireReader reader(text, unreadable);
  std::string key;
  Json value = type == "s" || type == "y" ? Json("") : type == "q" ? Json("0") : Json::object();
  while (const int number = reader.next())
    if (number == 1)
      key = reader.bytes;
    else
      value = value_of(reader, type);
  map[key] = std::move(value);
}

/// Whether the value is the one that Go writes for an unset field: empty text, false or 0.
bool is_unset(const Json& value, std::string_view type) {
  return (type == "s" && value.get_ref<const std::string&>().empty()) || (type == "f" && value == false) ||
         (type == "z" && value == 0);
}

Json read_message(std::string_view text, std::string_view type) {
  const Fields& fields = *fields_of(type);
  Json message = Json::object();
  WireReader reader(text, unreadable);
  while (const int number = reader.next()) {
    const auto found = fields.find(static_cast<uint64_t>(number));
    if (found == fields.end()) throw json_only(fmt::format("field {} of {}", number, type));
    const std::string& name = found->second.name;
    const std::string_view of = found->second.type;
    const std::string_view inner = of.substr(1, of.size() - 2);
    if (of == "-") continue;
    if (of[0] == '{') {
      if (reader.type != WireReader::Type::bytes) throw unreadable();
      read_entry(message[name], reader.bytes, inner);
    } else if (of[0] == '[') {
      message[name].push_back(value_of(reader, inner));
    } else if (name == "^") {
      message.update(value_of(reader, of));
    } else if (Json value = value_of(reader, of); !is_unset(value, of)) {
      message[name] = std::move(value);
    }
  }
  return message;
}

}  // namespace

Json object_of_protobuf(std::string_view body) {
  constexpr std::string_view kMagic("k8s\0", 4);
  if (!body.starts_with(kMagic)) throw unreadable();
  // A runtime.Unknown, which has the type (field 1: apiVersion, kind) and the encoded object (field 2).
  WireReader envelope(body.substr(kMagic.size()), unreadable);
  std::string_view type_meta, raw;
  while (const int number = envelope.next())
    if (number <= 2) (number == 1 ? type_meta : raw) = envelope.bytes;
  std::string names[3];
  WireReader reader(type_meta, unreadable);
  while (const int number = reader.next())
    if (number < 3) names[number] = reader.bytes;
  const auto& [unused, api_version, kind] = names;
  if (!fields_of(kind)) throw json_only(kind.empty() ? "an object without a kind" : kind);
  Json object = read_message(raw, kind);
  object.update({{"apiVersion", api_version}, {"kind", kind}});
  return object;
}

namespace {

/// Receives the JSON parser's events, and keeps track of the current path.
class Follower : public Json::json_sax_t {
 public:
  std::vector<std::string> duplicates;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return begin(/*is_list=*/false); }
  bool start_array(std::size_t) override { return begin(/*is_list=*/true); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (!level.seen.insert(name).second) duplicates.push_back(path());
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  struct Level {
    bool is_list;
    std::string key;
    size_t index = 0;
    std::set<std::string> seen;
  };

  bool begin(bool is_list) {
    levels_.push_back({is_list, {}, 0, {}});
    return true;
  }
  bool end() {
    levels_.pop_back();
    return value();
  }
  bool value() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  std::string path() const {
    std::string text;
    for (const Level& level : levels_)
      text += level.is_list ? fmt::format("[{}]", level.index) : (text.empty() ? "" : ".") + level.key;
    return text;
  }

  std::vector<Level> levels_;
};

}  // namespace

std::vector<std::string> duplicate_fields(std::string_view json) {
  Follower follower;
  Json::sax_parse(json, &follower);
  return std::move(follower.duplicates);
}

Json parse_body(std::string_view text) {
  try {
    return parse_json(text, "the request");
  } catch (const Error& error) {
    throw bad_request(error.message + ": " + error.why);
  }
}

Json object_of(const HttpRequest& request) {
  const std::string_view type =
      trim(std::string_view(request.content_type).substr(0, request.content_type.find(';')));
  if (type == kProtobuf) return object_of_protobuf(request.body);
  if (!type.empty() && type != "application/json")
    throw api_error(
        415, "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json, "
        "application/vnd.kubernetes.protobuf");
  Json object = parse_body(request.body);
  if (!object.is_object()) throw bad_request("the body of the request is not an object");
  return object;
}

void check_write_options(const HttpRequest& request, std::string_view options_kind) {
  FieldErrors errors;
  if (std::string text = request.parameter("dryRun"); !text.empty() && text != "All")
    errors.not_supported("dryRun", text, "\"All\"");
  const std::string validation = request.parameter("fieldValidation");
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" && validation != "Strict")
    errors.not_supported("fieldValidation", validation, "\"\", \"Ignore\", \"Strict\", \"Warn\"");
  const api::ResourceKind options{"meta.k8s.io", "v1", options_kind, "", "", "", false};
  errors.throw_if_any(options, "");
}

bool is_dry_run(const HttpRequest& request) {
  return request.parameter("dryRun") == "All";
}

}  // namespace kml::local
