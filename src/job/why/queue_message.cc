#include "job/why/causes.h"

#include "kml/base/text.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

int64_t amount(std::string_view text) {
  return api::quantity_milli(trim(text)).value_or(0);
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  const size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

/// Parses "… podsets requests (0) + current podset request (9) > maximum capacity (8)" or, from Kueue before
/// 0.9, "(9 > 8)".
void read_maximum(std::string_view text, Shortfall& shortfall) {
  shortfall.most = amount(between(text, "maximum capacity (", ")"));
  shortfall.asked =
      amount(between(text, "podsets requests (", ")")) + amount(between(text, "podset request (", ")"));
  if (const std::string_view both = between(text, "maximum capacity (", ")");
      both.find(" > ") != std::string_view::npos) {
    shortfall.asked = amount(both.substr(0, both.find(" > ")));
    shortfall.most = amount(both.substr(both.find(" > ") + 3));
  }
  shortfall.missing = shortfall.asked - shortfall.most;
}

}  // namespace

std::vector<FlavorShortfall> parse_queue_message(std::string_view message) {
  std::vector<FlavorShortfall> found;
  constexpr std::string_view kInsufficient = "insufficient ", kFor = "quota for ", kFlavor = " in flavor ";
  while (true) {
    const size_t at = message.find(kInsufficient);
    if (at == std::string_view::npos) return found;
    message.remove_prefix(at + kInsufficient.size());
    const std::string_view one = message.substr(0, message.find(kInsufficient));
    FlavorShortfall shortfall;
    shortfall.amounts.resource = between(one, kFor, kFlavor);
    if (shortfall.amounts.resource.empty()) continue;
    shortfall.flavor = between(one, kFlavor, ",");
    if (const size_t more = one.find(" more needed"); more != std::string_view::npos) {
      const size_t comma = one.rfind(", ", more);
      shortfall.amounts.missing =
          comma == std::string_view::npos ? 0 : amount(one.substr(comma + 2, more - comma - 2));
    } else if (one.find("maximum capacity") != std::string_view::npos) {
      shortfall.is_over_maximum = true;
      read_maximum(one, shortfall.amounts);
    }
    found.push_back(std::move(shortfall));
  }
}

}  // namespace kml::job
