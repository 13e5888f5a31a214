#include "live/commands/engines_there.h"

namespace kml::cli {

bool EnginesThere::must_read(const std::string& id, const Json& object) {
  const std::string version =
      string_at(object, {"metadata", "uid"}) + "/" + string_at(object, {"metadata", "resourceVersion"});
  Seen& seen = seen_[id];
  if (seen.version != version) seen = {version};
  seen.is_there = true;
  return !seen.is_over;
}

std::vector<std::string> EnginesThere::take_gone() {
  std::vector<std::string> gone;
  for (const auto& [id, seen] : seen_)
    if (!seen.is_there) gone.push_back(id);
  for (const std::string& id : gone) seen_.erase(id);
  for (auto& [id, seen] : seen_) seen.is_there = false;
  return gone;
}

}  // namespace kml::cli
