#include "tracking/runs/printed_object.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "kml/base/text.h"
#include "tracking/runs/argument_names.h"

namespace kml::tracking {

namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_of_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The words of a class's name, in lower case: "eval" and "result" of EvalResult.
std::vector<std::string> words_of_class(std::string_view name) {
  std::vector<std::string> words;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool begins = is_upper(name[i]) && (i == 0 || !is_upper(name[i - 1]));
    if (begins || words.empty()) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return words;
}

/// Whether the last word of the class's name means results: EvalResult, but not BatchNorm1d.
bool is_class_of_results(std::string_view name) {
  static const std::set<std::string, std::less<>> kWords = {
      "batch",   "cpu",      "episode",   "epoch",      "eval",   "evaluation", "fold",    "gpu",
      "history", "info",     "iteration", "measures",   "mem",    "metric",     "metrics", "output",
      "outputs", "progress", "record",    "report",     "result", "results",    "round",   "score",
      "scores",  "state",    "states",    "statistics", "stats",  "step",       "summary", "test",
      "timer",   "train",    "trial",     "usage",      "val",    "validation"};
  std::string word = words_of_class(name).back();
  while (!word.empty() && is_digit(word.back())) word.pop_back();
  return kWords.contains(word) || is_name_of_result(word) || is_name_of_cost(word);
}

/// The name of the class before the bracket at `open`; empty if there is none. Only at the end of a line may
/// a space stand between them.
std::string_view class_before(std::string_view text, size_t open) {
  size_t end = open;
  if (end > 0 && text[end - 1] == ' ' && open + 1 == text.size()) --end;
  size_t begin = end;
  while (begin > 0 && is_of_identifier(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin, end - begin);
  constexpr size_t kShortest = 2;
  return name.size() >= kShortest && is_upper(name[0]) ? name : std::string_view();
}

/// The number of bytes of the first character if it draws a frame; 0 for any other character.
size_t frame_size(std::string_view text) {
  if (text.starts_with('|')) return 1;
  const auto first = first_code_point(text);
  return first && first->value >= U'\u2500' && first->value <= U'\u257F' ? first->bytes : 0;
}

}  // namespace

std::optional<size_t> printed_object_in(std::string_view text) {
  for (size_t open = text.find('('); open < text.size(); open = text.find('(', open + 1))
    if (const std::string_view name = class_before(text, open); !name.empty() && !is_class_of_results(name))
      return open;
  return {};
}

std::string_view without_frame(std::string_view line) {
  constexpr size_t kBytes = 3;  // of a character that draws a frame, in UTF-8
  std::string_view text = trim(line);
  if (frame_size(text) == 0) return line;
  while (const size_t size = frame_size(text)) text.remove_prefix(size);
  for (bool goes_on = true; goes_on;) {
    goes_on = text.ends_with('|') ||
              (text.size() >= kBytes && frame_size(text.substr(text.size() - kBytes)) == kBytes);
    if (goes_on) text.remove_suffix(text.ends_with('|') ? 1 : kBytes);
  }
  return text;
}

bool is_section_heading(std::string_view line) {
  const std::string_view text = trim(line);
  return text.size() > 2 && text.starts_with('[') && text.ends_with(']') &&
         std::all_of(
             text.begin() + 1, text.end() - 1,
             [](char c) { return is_of_identifier(c) || c == '.' || c == '-' || c == '"' || c == ' '; }) &&
         std::any_of(text.begin(), text.end(),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
}

}  // namespace kml::tracking
