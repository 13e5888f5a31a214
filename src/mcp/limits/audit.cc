#include "mcp/limits/audit.h"

#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "mcp/limits/audited.h"

namespace kml::mcp {

AuditLog::AuditLog(std::filesystem::path file) : file_(std::move(file)), server_(random_hex(8)) {
  if (!file_.empty()) return;
  make_private_folder(state_folder() / "mcp");
  file_ = state_folder() / "mcp" / "audit.jsonl";
}

void AuditLog::add(const std::string& event, long long call, const std::string& tool, const Json& arguments,
                   Json facts) {
  constexpr size_t kLongestName = 100, kLongestReason = 1000;
  const Audited shown = audited(arguments);
  if (const Json* why = find(facts, {"why"}); why && why->is_string())
    facts["why"] = shown.without_hidden(*why).substr(0, kLongestReason);
  facts.update({{"time", rfc3339_micro(system_clock().now())},
                {"server", server_},
                {"call", call},
                {"event", event},
                {"tool", tool.substr(0, kLongestName)},
                {"arguments", shown.arguments}});
  append_durably(file_, compact_text(facts) + "\n");
}

}  // namespace kml::mcp
