#include "local/api/request_body.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "kml/core/json.h"
#include "kml/core/text.h"
#include "kml/core/wire.h"
#include "local/api/api_error.h"

namespace kml::local {

namespace {

// Fields by number, from the generated.proto files of k8s.io/api v0.34 and k8s.io/apimachinery. Types: s
// string, y bytes, i integer, b bool, f bool that is omitted if false, q quantity, - ignored, [T] list, {T}
// map; all other types are names of messages.
constexpr std::string_view kTypes = R"(
Meta = 1 name s, 2 generateName s, 3 namespace s, 4 selfLink -, 5 uid s, 6 resourceVersion s, 7 generation -, 8 creationTimestamp -, 11 labels {s}, 12 annotations {s}, 13 ownerReferences [Owner], 14 finalizers [s], 17 managedFields -
Owner = 1 kind s, 3 name s, 4 uid s, 5 apiVersion s, 6 controller b, 7 blockOwnerDeletion b
ConfigMap = 1 metadata Meta, 2 data {s}, 3 binaryData {y}, 4 immutable b
Secret = 1 metadata Meta, 2 data {y}, 3 type s, 4 stringData {s}, 5 immutable b
Namespace = 1 metadata Meta, 2 spec -, 3 status -
ServiceAccount = 1 metadata Meta, 4 automountServiceAccountToken b
ResourceQuota = 1 metadata Meta, 2 spec QuotaSpec, 3 status -
QuotaSpec = 1 hard {q}, 2 scopes [s], 3 scopeSelector ScopeSelector
ScopeSelector = 1 matchExpressions [ScopeExpression]
ScopeExpression = 1 scopeName s, 2 operator s, 3 values [s]
PriorityClass = 1 metadata Meta, 2 value i, 3 globalDefault f, 4 description s, 5 preemptionPolicy s
Job = 1 metadata Meta, 2 spec JobSpec, 3 status -
JobSpec = 1 parallelism i, 2 completions i, 3 activeDeadlineSeconds i, 5 manualSelector b, 6 template PodTemplate, 7 backoffLimit i, 8 ttlSecondsAfterFinished i, 9 completionMode s, 10 suspend b, 12 backoffLimitPerIndex i, 13 maxFailedIndexes i, 14 podReplacementPolicy s, 15 managedBy s
PodTemplate = 1 metadata Meta, 2 spec PodSpec
PodSpec = 2 containers [Container], 3 restartPolicy s, 4 terminationGracePeriodSeconds i, 5 activeDeadlineSeconds i, 6 dnsPolicy s, 7 nodeSelector {s}, 8 serviceAccountName s, 9 serviceAccount s, 10 nodeName s, 11 hostNetwork f, 12 hostPID f, 13 hostIPC f, 16 hostname s, 17 subdomain s, 19 schedulerName s, 20 initContainers [Container], 24 priorityClassName s
Container = 1 name s, 2 image s, 3 command [s], 4 args [s], 5 workingDir s, 7 env [Env], 8 resources Resources, 13 terminationMessagePath s, 14 imagePullPolicy s, 16 stdin f, 17 stdinOnce f, 18 tty f, 20 terminationMessagePolicy s
Env = 1 name s, 2 value s
Resources = 1 limits {q}, 2 requests {q}
SelfSubjectReview = 1 metadata Meta, 2 status -
SelfSubjectAccessReview = 1 metadata Meta, 2 spec AccessSpec, 3 status -
AccessSpec = 1 resourceAttributes ResourceAttributes, 2 nonResourceAttributes PathAttributes
ResourceAttributes = 1 namespace s, 2 verb s, 3 group s, 4 version s, 5 resource s, 6 subresource s, 7 name s
PathAttributes = 1 path s, 2 verb s
SelfSubjectRulesReview = 1 metadata Meta, 2 spec RulesSpec, 3 status -
RulesSpec = 1 namespace s
DeleteOptions = 1 gracePeriodSeconds i, 2 preconditions Preconditions, 3 orphanDependents b, 4 propagationPolicy s, 5 dryRun [s]
Preconditions = 1 uid s, 2 resourceVersion s
)";

struct Field {
  std::string name, type;
};
using Fields = std::map<uint64_t, Field>;

const Fields* fields_of(std::string_view type) {
  static const auto types = [] {
    std::map<std::string, Fields, std::less<>> found;
    for (const std::string& line : split(kTypes, '\n')) {
      const size_t equals = line.find(" = ");
      if (equals == std::string::npos) continue;
      for (const std::string& text : split(line.substr(equals + 3), ',')) {
        const std::vector<std::string> parts = split(trim(text), ' ');
        found[line.substr(0, equals)][std::stoul(parts[0])] = {parts[1], parts[2]};
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

/// The field's value. The type must not be a list or a map.
Json value_of(const WireReader& field, std::string_view type) {
  const bool is_number = type == "i" || type == "b" || type == "f";
  if (field.type != (is_number ? WireReader::Type::varint : WireReader::Type::bytes)) throw unreadable();
  if (type == "i") return static_cast<int64_t>(field.integer);
  if (is_number) return field.integer != 0;
  if (type == "s") return field.bytes;
  if (type == "y") return base64_encoded(field.bytes);
  if (type != "q") return read_message(field.bytes, type);
  WireReader quantity(field.bytes, unreadable);
  return quantity.next() == 0 ? Json("0") : Json(quantity.bytes);
}

/// Reads one entry of a map: a message with a key (1) and a value (2).
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

/// Go encodes unset fields as empty text.
bool is_unset(const Json& value, std::string_view type) {
  return (type == "s" && value.get_ref<const std::string&>().empty()) || (type == "f" && value == false);
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
  // runtime.Unknown: the type (1: apiVersion, kind) and the encoded object (2).
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

/// Receives the parser's events and keeps the path of the current position.
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
