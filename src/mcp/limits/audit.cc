#include "mcp/limits/audit.h"

#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::mcp {

namespace {

/// The values of variables may be secrets, so only their names are kept.
Json without_values(const Json& arguments) {
  Json kept = arguments;
  if (!kept.is_object() || !kept.contains("env")) return kept;
  Json& variables = kept["env"];
  const auto shorten = [](Json& text) {
    if (text.is_string()) text = text.get<std::string>().substr(0, text.get<std::string>().find('=')) + "=…";
  };
  if (variables.is_array())
    for (Json& variable : variables) shorten(variable);
  else
    shorten(variables);
  return kept;
}

}  // namespace

AuditLog::AuditLog(std::filesystem::path file) : file_(std::move(file)), server_(random_hex(8)) {
  if (!file_.empty()) return;
  make_private_folder(state_folder() / "mcp");
  file_ = state_folder() / "mcp" / "audit.jsonl";
}

void AuditLog::add(const std::string& event, const std::string& tool, const Json& arguments, Json facts) {
  facts.update({{"time", rfc3339_micro(system_clock().now())},
                {"server", server_},
                {"event", event},
                {"tool", tool},
                {"arguments", without_values(arguments)}});
  append_durably(file_, compact_text(facts) + "\n");
}

}  // namespace kml::mcp
