#pragma once

namespace kml {

/// Whether Python's str.isalnum() accepts the character: a letter or a number of any script.
bool is_letter_or_number(char32_t character);

}  // namespace kml
