#include "live/web/consent.h"

#include "kml/base/text.h"

namespace kml::live {

void Consent::forget_old(SteadyTime now) {
  std::erase_if(asked_, [&](const auto& entry) { return entry.second.until < now; });
}

std::string Consent::ask(const RowCommand& command, SteadyTime now) {
  constexpr std::chrono::minutes kValid{2};
  constexpr size_t kMost = 1000, kIdBytes = 16;
  forget_old(now);
  if (asked_.size() >= kMost) asked_.clear();
  std::string id = random_hex(kIdBytes);
  asked_[id] = {command, now + kValid};
  return id;
}

std::optional<RowCommand> Consent::take(const std::string& id, SteadyTime now) {
  forget_old(now);
  const auto found = asked_.find(id);
  if (found == asked_.end()) return {};
  std::optional<RowCommand> command = std::move(found->second.command);
  asked_.erase(found);
  return command;
}

}  // namespace kml::live
