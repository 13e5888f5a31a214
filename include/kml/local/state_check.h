#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kml::local {

/// What one part of the embedded server's state is like.
struct StateFinding {
  enum Verdict { right, not_checked, damaged } verdict;
  std::string what;    ///< "store", "identity", "kubeconfig", "pods"
  std::string detail;  ///< a phrase
};

/// `kml local check`: changes nothing. The store of a server that runs is not checked.
std::vector<StateFinding> check_state(const std::filesystem::path& folder);

/// `kml local repair`: brings what can be read into a new store, makes a missing identity, and keeps what was
/// damaged under another name beside it. Returns what it did, a sentence each; nothing where all was right.
/// Throws Error while the server runs.
std::vector<std::string> repair_state(const std::filesystem::path& folder);

}  // namespace kml::local
