#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::tracking {

/// The name with "_" in place of "-", as argparse names its attributes.
std::string attribute_of(std::string_view name);

/// The words in the text that consist of letters, in lower case.
std::vector<std::string> letter_words(std::string_view text);

/// Whether the word, in lower case, stands for arguments: "args" or "trainingarguments".
bool means_arguments(std::string_view word);

/// Whether one of the text's last two words stands for arguments, as "Config" does in "Config loaded".
bool names_arguments(std::string_view text);

bool is_name_of_result(std::string_view name);

/// Whether the name is one that many programs use for a hyperparameter, and none for a result.
bool is_name_of_hyperparameter(std::string_view name);

/// Whether the name stands for a cost of the run, such as time or memory. A program may print such values
/// beside its arguments.
bool is_name_of_cost(std::string_view name);

/// Whether the numbers are equal, or both are NaN.
bool is_same_number(double a, double b);

}  // namespace kml::tracking
