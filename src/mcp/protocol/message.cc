#include "mcp/protocol/message.h"

#include <algorithm>
#include <array>
#include <optional>

#include "kml/base/error.h"
#include "kml/version.h"

namespace kml::mcp {

namespace {

constexpr std::array<const char*, 4> kHandshakeRevisions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                            "2024-11-05"};
constexpr const char* kModernRevision = "2026-07-28";
constexpr const char* kRevisionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

bool is_id(const Json& id) {
  return id.is_string() || id.is_number_integer();
}

Json capabilities() {
  return {{"tools", Json::object()}, {"resources", Json::object()}, {"prompts", Json::object()}};
}

Json server_info() {
  return {{"name", "kml"}, {"title", "kml"}, {"version", kVersion}};
}

/// Checks the fields of a request in the protocol's revision 2026-07-28.
std::optional<Refusal> wrong_envelope(const Json& meta) {
  const auto revision = meta.find(kRevisionKey), client = meta.find(kCapabilitiesKey);
  if (!revision->is_string())
    return Refusal{Fault::invalid_params, std::string(kRevisionKey) + " is not a string"};
  if (client == meta.end() || !client->is_object())
    return Refusal{Fault::invalid_params, std::string(kCapabilitiesKey) + " is missing in params._meta"};
  if (*revision == kModernRevision) return {};
  return Refusal{Fault::unsupported_version,
                 "unsupported protocol version",
                 {{"supported", {kModernRevision}}, {"requested", *revision}}};
}

/// Results with one of these members may be kept by a client. The revision 2026-07-28 requires the results to
/// say for how long.
constexpr std::array<const char*, 6> kLists = {"tools",    "resources",         "prompts",
                                               "contents", "resourceTemplates", "supportedVersions"};

}  // namespace

std::variant<Message, Malformed, Ignored> read_message(std::string_view line) {
  Json json;
  try {
    json = parse_json(line, "the message");
  } catch (const Error& error) {
    return Malformed{nullptr, {Fault::not_json, error.message}};
  }
  if (!json.is_object())
    return Malformed{nullptr,
                     {Fault::invalid_request, "a message must be a JSON object; batches are not supported"}};
  Message message;
  const bool has_id = json.contains("id");
  if (has_id && is_id(json["id"])) message.id = json["id"];
  const auto wrong = [&](const char* text) { return Malformed{message.id, {Fault::invalid_request, text}}; };
  if (string_at(json, {"jsonrpc"}) != "2.0") return wrong("\"jsonrpc\" is not \"2.0\"");
  if (!json.contains("method") && (json.contains("result") || json.contains("error"))) return Ignored{};
  if (!json.contains("method") || !json["method"].is_string()) return wrong("\"method\" is not a string");
  if (has_id && message.id.is_null()) return wrong("\"id\" is neither a string nor an integer");
  message.method = json["method"];
  message.params = json.value("params", Json::object());
  if (message.params.is_null()) message.params = Json::object();
  if (!message.params.is_object() && !has_id) return Ignored{};
  if (!message.params.is_object())
    return Malformed{message.id, {Fault::invalid_params, "\"params\" is not an object"}};
  const Json& meta = object_at(message.params, {"_meta"});
  message.is_modern = meta.contains(kRevisionKey);
  if (message.is_modern && !message.is_notification())
    if (auto refusal = wrong_envelope(meta)) return Malformed{message.id, std::move(*refusal)};
  return message;
}

std::string response(const Json& id, Json result, bool is_modern) {
  if (is_modern) {
    result["resultType"] = "complete";
    const bool is_list =
        std::any_of(kLists.begin(), kLists.end(), [&](const char* key) { return result.contains(key); });
    if (is_list) result.update({{"ttlMs", 0}, {"cacheScope", "private"}});
  }
  return compact_text({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string response(const Json& id, const Refusal& refusal) {
  Json error = {{"code", static_cast<int>(refusal.fault)}, {"message", refusal.text}};
  if (!refusal.data.is_null()) error["data"] = refusal.data;
  return compact_text({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
}

std::string notification(std::string_view method, const Json& params) {
  return compact_text({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

Json initialize_result(const Json& params, const std::string& instructions) {
  const std::string asked = string_at(params, {"protocolVersion"});
  const bool is_known =
      std::find(kHandshakeRevisions.begin(), kHandshakeRevisions.end(), asked) != kHandshakeRevisions.end();
  return {{"protocolVersion", is_known ? asked : kHandshakeRevisions[0]},
          {"capabilities", capabilities()},
          {"serverInfo", server_info()},
          {"instructions", instructions}};
}

Json discover_result(const std::string& instructions) {
  Json versions = {kModernRevision};
  for (const char* revision : kHandshakeRevisions) versions.push_back(revision);
  return {{"supportedVersions", versions},
          {"capabilities", capabilities()},
          {"instructions", instructions},
          {"_meta", {{"io.modelcontextprotocol/serverInfo", server_info()}}}};
}

}  // namespace kml::mcp
