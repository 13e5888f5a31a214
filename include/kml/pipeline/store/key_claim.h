#pragma once

#include <filesystem>
#include <string>

#include "kml/base/files.h"

namespace kml::pipeline {

/// The right to make the result for a key. While a process holds this claim, other engines on this machine do
/// not start to make the same result, unless the user asked them to run the step again. They wait, and then
/// use the result or make it themselves. A claim ends when its process ends, for whatever reason.
class KeyClaim {
 public:
  KeyClaim() = default;  ///< holds no claim
  KeyClaim(Fd lock, std::filesystem::path file) : lock_(std::move(lock)), file_(std::move(file)) {}
  KeyClaim(KeyClaim&&) = default;
  KeyClaim& operator=(KeyClaim&&) = default;
  ~KeyClaim();

  explicit operator bool() const { return static_cast<bool>(lock_); }

 private:
  Fd lock_;
  std::filesystem::path file_;
};

/// Claims the key by locking the file claims/KEY in the store's folder. Returns an empty claim if another
/// process holds the claim. Throws Error if that file cannot be written.
KeyClaim claim_key(const std::filesystem::path& store, const std::string& key, const std::string& run);

/// The run that holds the claim on a key, or that held it when its process was killed. Empty if there is
/// none, or if the run has not yet written its name.
std::string claimer_of(const std::filesystem::path& store, const std::string& key);

}  // namespace kml::pipeline
