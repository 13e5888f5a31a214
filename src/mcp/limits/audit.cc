#include "mcp/limits/audit.h"

#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::mcp {

namespace {

/// The values of variables may be secrets, so only their names are kept.
Json without_values(const Json& arguments) {
  Json kept = arguments;
  const auto shorten = [](Json& text, std::string_view begin) {
    if (!text.is_string() || !text.get_ref<const std::string&>().starts_with(begin)) return;
    const std::string whole = text;
    text = whole.substr(0, whole.find('=', begin.size())) + "=…";
  };
  const auto shorten_all = [&](const char* name, std::string_view begin) {
    if (!kept.is_object() || !kept.contains(name)) return;
    Json& texts = kept[name];
    if (!texts.is_array()) return shorten(texts, begin);
    for (Json& text : texts) shorten(text, begin);
  };
  shorten_all("env", "");
  shorten_all("flags", "--env=");
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
