#include "kml/kube/objects/int_or_percent.h"

#include <charconv>
#include <string>

namespace kml::api {

std::optional<IntOrPercent> IntOrPercent::from_json(const Json& value) {
  if (value.is_number_integer()) return IntOrPercent{value.get<long long>()};
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (!text.ends_with('%')) return {};
  IntOrPercent parsed{0, true};
  const char* end = text.data() + text.size() - 1;
  const auto [stop, failure] = std::from_chars(text.data(), end, parsed.number);
  constexpr long long kMost = 1'000'000;
  if (failure != std::errc() || stop != end || parsed.number < 0 || parsed.number > kMost) return {};
  return parsed;
}

long long IntOrPercent::of(long long total, bool round_up) const {
  if (!is_percent) return number;
  return (number * total + (round_up ? 99 : 0)) / 100;
}

}  // namespace kml::api
