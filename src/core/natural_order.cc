#include "kml/core/natural_order.h"

namespace kml {

namespace {

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

/// A run of digits, taken off the text, without the zeros before it.
std::string_view take_number(std::string_view& text) {
  std::string_view number = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(number.size());
  while (number.size() > 1 && number[0] == '0') number.remove_prefix(1);
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view left = a, right = b;
  while (!left.empty() && !right.empty()) {
    if (begins_with_digit(left) && begins_with_digit(right)) {
      const std::string_view number = take_number(left), other = take_number(right);
      if (number != other)
        return number.size() != other.size() ? number.size() < other.size() : number < other;
    } else {
      if (left[0] != right[0]) return left.substr(0, 1) < right.substr(0, 1);
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return left.empty() != right.empty() ? left.empty() : a < b;
}

}  // namespace kml
