#include "kml/kube/objects/quantity.h"

#include <charconv>
#include <limits>

namespace kml::api {

namespace {

/// mantissa * 10^decimal * 2^binary
struct Parts {
  bool is_negative = false;
  uint64_t mantissa = 0;
  int decimal = 0;
  int binary = 0;
};

/// Reads one of the suffixes "nu m kMGTPE", "Ki...Ei" and "e3". Returns false for any other suffix.
bool read_suffix(std::string_view suffix, Parts& parts) {
  if (suffix.empty()) return true;
  constexpr std::string_view kBinary = "KMGTPE", kDecimal = "kMGTPE", kSmall = "mun";
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const size_t step = kBinary.find(suffix[0]);
    parts.binary = static_cast<int>(step + 1) * 10;
    return step != std::string_view::npos;
  }
  if (suffix.size() == 1) {
    if (size_t step = kDecimal.find(suffix[0]); step != std::string_view::npos) {
      parts.decimal += static_cast<int>(step + 1) * 3;
      return true;
    }
    const size_t step = kSmall.find(suffix[0]);
    parts.decimal -= static_cast<int>(step + 1) * 3;
    return step != std::string_view::npos;
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return false;
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  int exponent = 0;
  auto [end, status] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  if (suffix.empty() || status != std::errc() || end != suffix.data() + suffix.size()) return false;
  parts.decimal += exponent;
  return exponent > -100 && exponent < 100;
}

std::optional<Parts> parse(std::string_view text) {
  Parts parts;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    parts.is_negative = text[0] == '-';
    text.remove_prefix(1);
  }
  // 17 digits; further digits would be smaller than any unit in use
  constexpr uint64_t kMost = 100'000'000'000'000'000;
  bool has_digits = false, has_point = false;
  while (!text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) {
    if (text[0] == '.') {
      if (has_point) return {};
      has_point = true;
    } else {
      has_digits = true;
      const bool is_kept = parts.mantissa < kMost;
      if (is_kept) parts.mantissa = parts.mantissa * 10 + static_cast<uint64_t>(text[0] - '0');
      if (is_kept && has_point) --parts.decimal;
      if (!is_kept && !has_point) ++parts.decimal;
    }
    text.remove_prefix(1);
  }
  if (!has_digits || !read_suffix(text, parts)) return {};
  return parts;
}

std::optional<int64_t> scaled(std::string_view text, int more_decimals) {
  auto parts = parse(text);
  if (!parts) return {};
  using Wide = unsigned __int128;
  constexpr auto kMax = static_cast<Wide>(std::numeric_limits<int64_t>::max());
  Wide value = Wide{parts->mantissa} << parts->binary;
  int exponent = parts->decimal + more_decimals;
  for (; exponent > 0 && value != 0 && value <= kMax; --exponent) value *= 10;
  bool has_rest = false;
  for (; exponent < 0 && value != 0; ++exponent) {
    has_rest = has_rest || value % 10 != 0;
    value /= 10;
  }
  if (has_rest && !parts->is_negative) ++value;
  const auto magnitude = static_cast<int64_t>(value < kMax ? value : kMax);
  return parts->is_negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<int64_t> quantity_milli(std::string_view text) {
  return scaled(text, 3);
}
std::optional<int64_t> quantity_units(std::string_view text) {
  return scaled(text, 0);
}

namespace {

int64_t milli_of(const Json& quantity) {
  return quantity_milli(quantity.is_string() ? quantity.get<std::string>() : quantity.dump()).value_or(0);
}

}  // namespace

Amounts amounts_of(const Json& resource_list) {
  Amounts amounts;
  for (const auto& [name, value] : resource_list.items()) amounts[name] = milli_of(value);
  return amounts;
}

Amounts gpu_amounts_of(const Json& resource_list) {
  constexpr int64_t kMost = 1'000'000 * kMilli;
  Amounts gpus;
  for (const auto& [name, value] : resource_list.items())
    if (is_gpu_resource(name)) gpus[name] = std::clamp<int64_t>(milli_of(value), 0, kMost);
  return gpus;
}

int64_t total_units(const Amounts& amounts) {
  int64_t milli = 0;
  for (const auto& [name, amount] : amounts) milli += amount;
  return milli / kMilli;
}

bool is_gpu_resource(std::string_view resource) {
  return resource.ends_with("/gpu") || resource.find("/mig-") != std::string_view::npos ||
         resource == "gpu.intel.com/i915" || resource == "gpu.intel.com/xe";
}

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}
void subtract(Amounts& sum, const Amounts& less) {
  for (const auto& [name, amount] : less) sum[name] -= amount;
}

}  // namespace kml::api
