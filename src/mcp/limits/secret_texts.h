#pragma once

#include <string>
#include <vector>

namespace kml::mcp {

constexpr const char* kHidden = "…";

/// A text in which each probable secret is replaced by kHidden, and the secrets.
struct SecretTexts {
  std::string text;
  std::vector<std::string> hidden;
};

/// Hides the value in each NAME=VALUE of the text whose name or value looks like a secret, as in
/// "--api-key=x" and "export HF_TOKEN='x'; python train.py". Hides the whole text if it has a key or a
/// password in a known form.
SecretTexts without_secrets(const std::string& text);

}  // namespace kml::mcp
