#include "mcp/limits/audited.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include "kml/base/text.h"
#include "kml/job/submit/secret_text.h"
#include "mcp/limits/secret_texts.h"

namespace kml::mcp {

namespace {

constexpr size_t kMostBytes = 16 << 10;

/// Whether an argument with this name may contain variables. Models also send "environment", "env_vars" and
/// "secrets".
bool is_of_variables(const std::string& name) {
  const std::string all = lower(name);
  for (const char* word : {"env", "secret", "variable", "token", "password", "credential"})
    if (contains(all, word)) return true;
  return false;
}

bool is_variable_name(std::string_view text) {
  constexpr size_t kLongestName = 64;
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '_' || std::isalnum(c); });
}

/// Whether the text is only a variable's name, as in --secret NAME. Most services' keys, in contrast, have
/// small letters.
bool is_name_alone(std::string_view text) {
  return is_variable_name(text) && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         !job::is_secret("", text) &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::islower(c); });
}

class Hider {
 public:
  void hide_in(Json& value) {
    if (value.is_string()) hide_in_text(value);
    if (value.is_array())
      for (Json& item : value) hide_in(item);
    if (!value.is_object()) return;
    for (auto& [name, member] : value.items()) {
      if (name == "flags")
        hide_in_flags(member);
      else if (is_of_variables(name))
        hide_all(member, true);
      else
        hide_in(member);
    }
  }
  std::vector<std::string> hidden() && { return std::move(hidden_); }

 private:
  /// `may_be_name` says whether a text without "=" may be a variable's name, as in --secret NAME, and not the
  /// value of a variable whose name is elsewhere.
  void hide_all(Json& value, bool may_be_name) {
    if (value.is_object()) {
      for (auto& [name, member] : value.items()) hide_all(member, name == "name");
    } else if (value.is_array()) {
      hide_list(value, may_be_name);
    } else if (value.is_string()) {
      const std::string text = value;
      const size_t equals = text.find('=');
      const bool has_value = equals != std::string::npos;
      if (!has_value && may_be_name && is_name_alone(text)) return;
      const bool has_name = has_value && is_variable_name(text.substr(0, equals));
      replace(value, text, has_name ? equals + 1 : 0);
    } else if (!value.is_null()) {
      replace(value, value.dump(), 0);
    }
  }

  /// In a list of lists, only the first of each inner list may be a name: [["NAME", "value"]].
  void hide_list(Json& list, bool may_be_name) {
    for (Json& item : list) {
      if (!item.is_array()) {
        hide_all(item, may_be_name);
        continue;
      }
      for (size_t i = 0; i < item.size(); ++i) hide_all(item[i], may_be_name && i == 0);
    }
  }

  void hide_in_text(Json& value) {
    SecretTexts found = without_secrets(value.get_ref<const std::string&>());
    std::move(found.hidden.begin(), found.hidden.end(), std::back_inserter(hidden_));
    value = std::move(found.text);
  }

  /// Hides values in flags. A text that does not start with "--" may be the value of the flag before it, so
  /// it is hidden as a whole.
  void hide_in_flags(Json& value) {
    if (value.is_structured()) {
      for (Json& item : value) hide_in_flags(item);
    } else if (value.is_string()) {
      const std::string text = value;
      const size_t end = std::min(text.find_first_of("= "), text.size());
      const bool is_flag = text.starts_with("--");
      if (is_flag && !is_of_variables(text.substr(0, end))) return hide_in_text(value);
      const size_t kept = is_flag ? std::min(end + 1, text.size()) : 0;
      const size_t second = is_flag ? text.find('=', kept) : std::string::npos;
      const bool has_name = second != std::string::npos && is_variable_name(text.substr(kept, second - kept));
      if (is_flag && !has_name && is_name_alone(text.substr(kept))) return;
      replace(value, text, has_name ? second + 1 : kept);
    } else if (!value.is_null()) {
      replace(value, value.dump(), 0);
    }
  }

  void replace(Json& value, const std::string& text, size_t kept) {
    if (kept < text.size()) hidden_.push_back(text.substr(kept));
    value = text.substr(0, kept) + kHidden;
  }

  std::vector<std::string> hidden_;
};

std::string cut_note(size_t bytes) {
  return "(" + std::to_string(bytes) + " bytes were cut)";
}

/// Cuts the longest members until the rest is short enough.
Json shortened(Json arguments) {
  size_t size = compact_text(arguments).size();
  while (size > kMostBytes && arguments.is_object() && !arguments.empty()) {
    std::string longest;
    size_t most = 0;
    for (const auto& [name, member] : arguments.items())
      if (const size_t bytes = compact_text(member).size(); bytes > most) {
        longest = name;
        most = bytes;
      }
    const std::string note = cut_note(most);
    if (note.size() + 2 >= most) break;
    arguments[longest] = note;
    size = size - most + note.size() + 2;
  }
  return size > kMostBytes ? Json(cut_note(size)) : arguments;
}

}  // namespace

std::string Audited::without_hidden(std::string text) const {
  for (const std::string& secret : hidden)
    for (size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 1))
      text.replace(at, secret.size(), kHidden);
  return text;
}

Audited audited(const Json& arguments) {
  if (!arguments.is_object()) return {cut_note(compact_text(arguments).size()), {}};
  Json kept = arguments;
  Hider hider;
  hider.hide_in(kept);
  return {shortened(std::move(kept)), std::move(hider).hidden()};
}

}  // namespace kml::mcp
