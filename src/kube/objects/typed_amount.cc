#include "kml/kube/objects/typed_amount.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "kml/base/text.h"
#include "kml/kube/objects/quantity.h"

namespace kml::api {

namespace {

/// No container starts with less, so a user who writes fewer bytes has left out or mistyped the unit.
constexpr int64_t kFewestBytes = 1 << 20;

struct NumberAndUnit {
  std::string number, unit;
};

NumberAndUnit number_and_unit(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '_'; });
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  return {text.substr(0, end), lower(text.substr(end))};
}

/// "Gi" for g, gb, gib, gbyte and gigabytes; empty if this is not a unit of bytes.
std::string binary_unit(const std::string& unit) {
  constexpr std::string_view kPrefixes = "kmgtpe";
  if (unit.empty() || kPrefixes.find(unit[0]) == std::string_view::npos) return {};
  const std::string_view rest = std::string_view(unit).substr(1);
  constexpr std::string_view kRests[] = {"", "b", "i", "ib", "byte", "bytes"};
  const bool is_short = std::find(std::begin(kRests), std::end(kRests), rest) != std::end(kRests);
  if (!is_short && !rest.ends_with("byte") && !rest.ends_with("bytes")) return {};
  return std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])))) + "i";
}

/// The amount of bytes that the user probably meant. A number without a unit means Gi or, if it is large, Mi,
/// as in Slurm. Empty if there is no such amount.
std::string bytes_meant(const std::string& text) {
  constexpr int64_t kMostGi = 1024;
  const auto [number, typed] = number_and_unit(text);
  const auto amount = quantity_units(number);
  if (!amount || *amount <= 0) return {};
  const std::string unit = typed.empty() ? (*amount < kMostGi ? "Gi" : "Mi") : binary_unit(typed);
  return unit.empty() ? std::string() : number + unit;
}

bool is_cpus(const std::string& unit) {
  constexpr std::string_view kWords[] = {"cpu",  "cpus",  "core",   "cores",
                                         "vcpu", "vcpus", "thread", "threads"};
  return std::find(std::begin(kWords), std::end(kWords), unit) != std::end(kWords);
}

}  // namespace

std::string bytes_problem(const std::string& text) {
  const auto milli = quantity_milli(text);
  const std::string meant = bytes_meant(text);
  if (!milli) return "is not an amount of bytes; write " + (meant.empty() ? "512Mi or 16Gi" : meant);
  if (*milli <= 0) return "must be more than 0";
  const std::string unit = number_and_unit(text).unit;
  if (meant.empty() || *milli >= kFewestBytes * kMilli || (!unit.empty() && unit != "m")) return {};
  if (unit == "m") return "is a fraction of a byte, because \"m\" means thousandths; write " + meant;
  if (*milli % kMilli != 0) return "is a fraction of a byte; write " + meant;
  return fmt::format("is only {} {}; write {}", *milli / kMilli, *milli == kMilli ? "byte" : "bytes", meant);
}

std::string cpus_problem(const std::string& text) {
  const auto [number, unit] = number_and_unit(text);
  const auto milli = quantity_milli(text);
  if (milli && *milli <= 0) return "must be more than 0";
  const bool has_unit_of_bytes =
      !unit.empty() && unit != "m" && !unit.starts_with('e') && !binary_unit(unit).empty();
  if (milli && !has_unit_of_bytes) return {};
  const std::string wanted = is_cpus(unit) && quantity_milli(number) ? number : "4, 1.5 or 500m";
  return "is not a number of CPUs; write " + wanted;
}

}  // namespace kml::api
