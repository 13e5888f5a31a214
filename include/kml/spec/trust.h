#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/spec/config.h"

namespace kml::spec {

/// Which project files the user has looked at and trusts: each by its path and its content, so that a change
/// of either ends it. Kept as lines that are appended, "SHA256  PATH", the last of a path counting; "-"
/// instead of the sum takes the trust back.
class TrustRecords {
 public:
  explicit TrustRecords(std::filesystem::path records) : records_(std::move(records)) {}

  enum class State { unknown, changed, trusted };
  State state_of(const std::filesystem::path& file, std::string_view text) const;

  /// Throws usage Error if the path holds a line break.
  void trust(const std::filesystem::path& file, std::string_view text);
  /// Throws usage Error if the file was not trusted.
  void revoke(const std::filesystem::path& file);
  /// The sum of each path that is trusted.
  std::map<std::string, std::string> all() const;

 private:
  std::filesystem::path records_;
};

/// Those of this user: state_folder()/trusted.
TrustRecords trust_records();

/// What an untrusted project file chooses in `settings` although it must not: secrets, files and code from
/// outside its folder, an account, a context, and templates that replace one of `templates` (the names of the
/// built-in ones and the user's). `settings` are all settings, in order of rising precedence; what a flag or
/// a variable overrides does not count.
std::vector<Problem> untrusted_settings(const ProjectFile& file, std::span<const Setting> settings,
                                        const std::set<std::string>& templates);

/// The keys of the project file that count among `settings`, in the file's order.
std::vector<std::string> project_keys(std::span<const Setting> settings);

}  // namespace kml::spec
