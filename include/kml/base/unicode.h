#pragma once

namespace kml {

/// Whether Python's str.isalnum() is true for the character, which means that it is a letter or number of any
/// script.
bool is_letter_or_number(char32_t character);

}  // namespace kml
