#pragma once

#include <filesystem>
#include <string>

#include "kml/base/files.h"

namespace kml::pipeline {

/// While a process holds this claim, no other engine on this machine makes the result for the same key. The
/// others wait, and then use the result or make it themselves. A claim ends with its process, however that
/// ends.
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

/// Claims the key by a lock on the file claims/KEY in the store's folder. Returns an empty claim if another
/// process holds it. Throws Error (kStoreTrouble) if the store cannot be written.
KeyClaim claim_key(const std::filesystem::path& store, const std::string& key, const std::string& run);

/// The run that holds the claim; empty if no run holds it, or if the run has not yet written its name.
std::string claimer_of(const std::filesystem::path& store, const std::string& key);

}  // namespace kml::pipeline
