#pragma once

#include <string>

namespace kml {

/// Whether Python's str.isalnum() is true for the character, which means that it is a letter or number of any
/// script.
bool is_letter_or_number(char32_t character);

/// Whether the character changes the one before it, such as an accent, or a vowel sign of Hindi.
bool is_mark(char32_t character);

/// The text without accents: "Ubung" for "Übung". Returns a text that is not UTF-8 unchanged.
std::string without_marks(const std::string& text);

/// The text without invisible characters that change how the text is shown or carry hidden text: format
/// characters such as U+202E (right-to-left override) and tags, the separators of lines and paragraphs, and
/// the variation selectors U+E0100 to U+E01EF. Bytes that are not UTF-8 are kept.
std::string without_format_characters(const std::string& text);

}  // namespace kml
