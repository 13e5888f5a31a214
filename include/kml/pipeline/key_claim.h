#pragma once

#include <filesystem>
#include <string>

#include "kml/core/files.h"

namespace kml::pipeline {

/// While one lives, no other engine of this machine makes what the key stands for: it waits, and finds the
/// result, or makes it then. A process that ends in any way leaves its claims.
class KeyClaim {
 public:
  KeyClaim() = default;  ///< of nothing
  KeyClaim(Fd lock, std::filesystem::path file) : lock_(std::move(lock)), file_(std::move(file)) {}
  KeyClaim(KeyClaim&&) = default;
  KeyClaim& operator=(KeyClaim&&) = default;
  ~KeyClaim();

  explicit operator bool() const { return static_cast<bool>(lock_); }

 private:
  Fd lock_;
  std::filesystem::path file_;
};

/// claims/KEY in the folder of a store. A claim of nothing if somebody has it already. Throws Error
/// (kStoreTrouble) if the store cannot be written.
KeyClaim claim_key(const std::filesystem::path& store, const std::string& key, const std::string& run);

/// The run that claims the key; empty if none does, or it has not said so yet.
std::string claimer_of(const std::filesystem::path& store, const std::string& key);

}  // namespace kml::pipeline
