#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "kml/base/json.h"

/// The Model Context Protocol, revisions 2024-11-05 to 2026-07-28, as in the schemas from which the PyPI
/// package mcp-types 2.3.0 was generated. Until 2025-11-25, a connection begins with `initialize`. Since
/// 2026-07-28, each request names its revision in params._meta, and `server/discover` lists the revisions.
namespace kml::mcp {

/// The codes of errors: those of JSON-RPC 2.0 and, between -32000 and -32099, those of MCP and of this
/// server.
enum class Fault {
  not_json = -32700,
  invalid_request = -32600,
  unknown_method = -32601,
  invalid_params = -32602,
  internal = -32603,
  busy = -32000,
  unsupported_version = -32022,
};

/// Why a request has no result.
struct Refusal {
  Fault fault;
  std::string text;
  Json data = nullptr;
};

/// A request or, without an id, a notification.
struct Message {
  Json id;  ///< a text or an integer; null for a notification
  std::string method;
  Json params;             ///< an object
  bool is_modern = false;  ///< whether the message itself names its revision, as required since 2026-07-28

  bool is_notification() const { return id.is_null(); }
};

/// A message that cannot be handled. `id` is the request's, or null if it is unknown.
struct Malformed {
  Json id;
  Refusal refusal;
};

/// A message without an answer or effect: a response, because this server sends no requests, or a
/// notification whose parameters are not an object.
struct Ignored {};

/// Reads one line.
std::variant<Message, Malformed, Ignored> read_message(std::string_view line);

/// The response, as a line without its end. `is_modern` adds the members that protocol version 2026-07-28
/// requires in results.
std::string response(const Json& id, Json result, bool is_modern);
std::string response(const Json& id, const Refusal& refusal);
std::string notification(std::string_view method, const Json& params);

/// The result of `initialize`, for the revision that the client asks for, or else the newest before
/// 2026-07-28.
Json initialize_result(const Json& params, const std::string& instructions);
/// The result of `server/discover`.
Json discover_result(const std::string& instructions);

}  // namespace kml::mcp
