#include "kml/base/real_number.h"

#include <charconv>
#include <limits>

namespace kml {

std::optional<double> real_number_at(std::string_view text, const char*& end) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [after, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  end = after;
  if (failure == std::errc()) return value;
  if (failure != std::errc::result_out_of_range) return std::nullopt;
  const size_t sign = text.starts_with('-') ? 1 : 0;
  const std::string_view digits(text.data() + sign, end);
  const size_t exponent = digits.find_first_of("eE");
  const bool is_small = exponent == std::string_view::npos
                            ? digits.starts_with("0.") || digits.starts_with('.')
                            : digits.substr(exponent + 1).starts_with('-');
  const double size = is_small ? 0 : std::numeric_limits<double>::infinity();
  return sign == 1 ? -size : size;
}

bool is_like_hash(std::string_view number) {
  const size_t letter = number.find_first_not_of("0123456789");
  return letter != std::string_view::npos && letter >= 2 && number[letter] == 'e' &&
         letter + 1 < number.size() &&
         number.find_first_not_of("0123456789", letter + 1) == std::string_view::npos;
}

}  // namespace kml
