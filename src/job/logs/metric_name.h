#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kml::job {

bool is_ascii(char c);

/// The size of the letter of any script at the start of the text; 0 if there is none.
size_t letter_size(std::string_view text);
/// The size of the first character if it can be part of a metric's name; otherwise 0.
size_t name_character_size(std::string_view text);
/// The size of the name characters at the start of the text.
size_t name_size(std::string_view text);
/// Whether the last character can be part of a name.
bool ends_in_name(std::string_view text);

/// Whether the word right before `begin` is a qualifier, such as "val " or "best ". The name after a
/// qualifier belongs to a different metric.
bool follows_qualifier(std::string_view line, size_t begin);
/// The name at `begin` with the qualifiers before it: "val_loss" for "val loss", "best_val_loss" for "best
/// val loss".
std::string full_name(std::string_view line, size_t begin, std::string_view name);

/// The size of the address at the start of the text: "https://a/?loss=7". `name_end` is where the name
/// characters at the start of the text end. 0 if there is no address.
size_t address_size(std::string_view text, size_t name_end);
/// Whether the name and the text after it are a position in a source file: "train.py:88", or "trainer:88"
/// after a log level.
bool is_place_in_code(std::string_view line, size_t begin, std::string_view name);
/// Whether the name and the text after it are an exception ("KeyError: 1"), a device ("cuda:0"), or something
/// that identifies a process or its code ("RANK=0", "port: 8080").
bool is_of_process(std::string_view line, size_t begin, std::string_view name);

}  // namespace kml::job
