#include <set>

#include "kml/core/text.h"
#include "kml/sweep/trial/trial_template.h"
#include "sweep/trial/holes.h"

namespace kml::sweep {

namespace {

constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

struct Words {
  std::set<std::string> in_braces, of_shells;  ///< {lr}, ${lr}
};

void find_words(const std::string& text, Words& words) {
  for (size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const size_t end = text.find_first_not_of(kOfNames, at + 1);
    if (end == std::string::npos || text[end] != '}') continue;
    auto& found = at > 0 && text[at - 1] == '$' ? words.of_shells : words.in_braces;
    found.insert(text.substr(at + 1, end - at - 1));
  }
}

void find_words(const Json& value, Words& words) {
  if (value.is_string()) find_words(value.get_ref<const std::string&>(), words);
  if (value.is_structured())
    for (const Json& child : value) find_words(child, words);
}

}  // namespace

std::vector<std::string> holes_nearly_met(const SweepSpec& spec) {
  const Holes holes(spec);
  const std::vector<std::string> names(holes.names().begin(), holes.names().end());
  Words words;
  find_words(spec.trial, words);
  std::vector<std::string> notes;
  for (const std::string& word : words.of_shells)
    if (holes.names().contains(word))
      notes.push_back("${" + word + "} is left to the shell; {" + word + "} would be the sweep's");
  for (const std::string& word : words.in_braces) {
    const std::string hint = holes.names().contains(word) ? "" : did_you_mean(word, names);
    if (!hint.empty()) notes.push_back("{" + word + "} stays as it is; " + hint);
  }
  return notes;
}

}  // namespace kml::sweep
