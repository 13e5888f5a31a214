#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/unicode.h"
#include "tracking/mlflow/mlflow_push.h"

namespace kml::tracking {

namespace {

constexpr size_t kLongestKey = 250, kDigestDigits = 8;

bool may_be_in_key(char32_t c) {
  constexpr std::u32string_view kSigns = U"_-./: ";
  return is_letter_or_number(c) || kSigns.find(c) != kSigns.npos;
}

/// The text, with each character that a key cannot contain replaced by "_".
std::string with_accepted_characters(std::string_view text) {
  std::string accepted;
  while (!text.empty()) {
    const CodePoint character = first_code_point(text).value_or(CodePoint{U'?', 1});
    accepted += may_be_in_key(character.value) ? text.substr(0, character.bytes) : "_";
    text.remove_prefix(character.bytes);
  }
  return accepted;
}

std::string with_digest(const std::string& key, const std::string& name) {
  return cut_to_characters(key, kLongestKey - kDigestDigits - 1) + "-" +
         sha256_hex(name).substr(0, kDigestDigits);
}

std::string accepted(const std::string& name) {
  std::vector<std::string> parts;
  for (const std::string& given : split(name, '/')) {
    std::string part = with_accepted_characters(given);
    if (part == "." || part.starts_with("..")) std::replace(part.begin(), part.end(), '.', '_');
    if (!part.empty()) parts.push_back(std::move(part));
  }
  const std::string key = parts.empty() ? "_" : join(parts, "/");
  return cut_to_characters(key, kLongestKey) != key ? with_digest(key, name) : key;
}

/// The folders in "a/b/c": "a" and "a/b".
std::set<std::string> folders_of(const std::string& key) {
  std::set<std::string> folders;
  for (size_t slash = key.find('/'); slash != std::string::npos; slash = key.find('/', slash + 1))
    folders.insert(key.substr(0, slash));
  return folders;
}

}  // namespace

/// MLflow's FileStore stores each key in a file with that path, so no key may be the folder of another key
/// (mlflow/store/tracking/file_store.py).
MlflowKeys::MlflowKeys(const std::set<std::string>& names) {
  std::set<std::string> taken, folders;
  for (const std::string& name : names) folders.merge(folders_of(accepted(name)));
  for (const std::string& name : names)
    if (accepted(name) == name && !folders.contains(name)) taken.insert(keys_[name] = name);
  for (const std::string& name : names) {
    if (keys_.contains(name)) continue;
    std::string key = accepted(name);
    if (folders.contains(key)) key += "_";
    if (taken.contains(key) || folders.contains(key)) key = with_digest(key, name);
    taken.insert(keys_[name] = std::move(key));
  }
}

std::map<std::string, std::string> MlflowKeys::changed() const {
  std::map<std::string, std::string> changed;
  for (const auto& [name, key] : keys_)
    if (name != key) changed.emplace(name, key);
  return changed;
}

std::string cut_to_characters(const std::string& text, size_t most) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if (begins(text[i]) && characters++ == most) return text.substr(0, i);
  return text;
}

}  // namespace kml::tracking
