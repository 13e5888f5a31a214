#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::yaml {

/// Keeps certificates, keys and tokens from yaml-cpp, which matches some twenty patterns at each of their
/// characters: a kubeconfig's certificates would take longer to scan than the rest of the file.
class LongWords {
 public:
  /// Cuts each long word out of the text where it is all that follows a key in a line. The text must outlive
  /// this object, and must not contain U+007F, which YAML does not allow.
  explicit LongWords(std::string_view text);

  /// The text with a short mark in place of each long word.
  const std::string& text() const { return text_; }
  /// A scalar from text() with the words in place of their marks.
  std::string restored(const std::string& scalar) const;

 private:
  std::string text_;
  std::vector<std::string_view> words_;
};

}  // namespace kml::yaml
