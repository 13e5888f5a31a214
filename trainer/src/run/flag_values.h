#pragma once

#include <charconv>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace trainer {

/// Throws Error with exit code 2, for wrong usage.
[[noreturn]] void usage_error(const std::string& what, const std::string& why, const std::string& fix = "");

[[noreturn]] void number_error(const std::string& flag, const std::string& text, bool whole, double least,
                               double most);

/// Parses the whole text as a number from `least` to `most`.
template <typename Number>
Number number(const std::string& flag, const std::string& text, Number least, Number most) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most)) {
    number_error(flag, text, std::is_integral_v<Number>, static_cast<double>(least),
                 static_cast<double>(most));
  }
  return value;
}

/// The value for the text in `choices`.
template <typename Value>
Value choice(const std::string& flag, const std::string& text,
             const std::vector<std::pair<std::string, Value>>& choices) {
  std::string words;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].first == text) return choices[i].second;
    words += (i == 0 ? "" : i + 1 < choices.size() ? ", " : " or ") + choices[i].first;
  }
  usage_error("--" + flag + "=" + text, "it takes " + words);
}

}  // namespace trainer
