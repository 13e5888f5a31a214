#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/job/spec/config.h"

namespace kml::spec {

/// The project files that the user has reviewed and trusts. Trust applies to one path with one content, that
/// of the file and of the templates that it names; a change of either ends it. Each record is a line "SHA256
/// PATH", appended to a file. The last line for a path applies; "-" instead of the digest revokes the trust.
class TrustRecords {
 public:
  explicit TrustRecords(std::filesystem::path records) : records_(std::move(records)) {}

  enum class State { unknown, changed, trusted };
  State state_of(const std::filesystem::path& file, std::string_view text) const;

  /// Throws usage Error if the path holds a line break.
  void trust(const std::filesystem::path& file, std::string_view text);
  /// Throws usage Error if the file was not trusted.
  void revoke(const std::filesystem::path& file);
  /// The trusted paths.
  std::vector<std::string> files() const;

 private:
  std::map<std::string, std::string> digests() const;

  std::filesystem::path records_;
};

/// This user's records, in state_folder()/trusted.
TrustRecords trust_records();

/// Why kml rejects a file that needs trust, with that cause and that advice; nothing if the user trusts its
/// text. A file without a path, such as standard input, is never trusted.
std::optional<Error> distrust(const ProjectFile& file, const std::string& why, const std::string& fix);

/// Whether the path is the folder or inside it. Resolves links first, because a link inside the folder may
/// lead out of it.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The settings that an untrusted file is compared with.
struct UsersOwn {
  std::set<std::string> templates = {};           ///< names of the built-in templates and of the user's own
  std::set<std::string> written = {};             ///< of these, those that are not built in
  std::string context = {}, namespace_name = {};  ///< without the file; empty: none can be used
  bool runs_files_command =
      false;  ///< the file has the command, as a pipeline does, so variables and labels give it no more power
};

/// The settings that an untrusted file must not choose. It may choose the size and the place of a job, its
/// image, its queue and priority, claims, folders inside its own folder, parameters of built-in templates,
/// and variables and labels that only tune a program; everything else needs trust. `settings` are all
/// settings in order of increasing precedence. Ignores settings that a flag or a variable overrides.
std::vector<Problem> untrusted_settings(const ProjectFile& file, std::span<const Setting> settings,
                                        const UsersOwn& own);

/// The keys of the project file that are in effect among `settings`, in the file's order.
std::vector<std::string> project_keys(std::span<const Setting> settings);

}  // namespace kml::spec
