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

/// The project files that the user has reviewed and trusts. Trust applies to one path with one content: the
/// content of the file, and of the templates to which it refers. If either changes, the trust ends. Each
/// record is a line "SHA256 PATH" that is appended to a file. Only the last line for a path is valid; a "-"
/// in place of the digest revokes the trust.
class TrustRecords {
 public:
  explicit TrustRecords(std::filesystem::path records) : records_(std::move(records)) {}

  enum class State { unknown, changed, trusted };
  State state_of(const std::filesystem::path& file, std::string_view text) const;

  /// Throws usage Error if the path contains a line break.
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

/// The Error with which kml rejects a file that needs trust, with this cause and this advice. Empty if the
/// user trusts the text. A file without a path, such as standard input, is never trusted.
std::optional<Error> distrust(const ProjectFile& file, const std::string& why, const std::string& fix);

/// Whether the path is the folder, or inside it. Resolves links first, because a link in the folder may lead
/// out of it.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The settings that the user made outside the untrusted file. The file's settings are compared with these.
struct UsersOwn {
  /// the names of the built-in templates and of the user's own template files
  std::set<std::string> templates = {};
  std::set<std::string> written = {};  ///< the names in `templates` that are not built in
  /// the values that apply if the file sets none; may be empty
  std::string context = {}, namespace_name = {};
  bool runs_files_command =
      /// whether the file contains the command, as a pipeline does; variables and labels then give the file
      /// no additional power
      false;
};

/// The settings that an untrusted file must not choose. The file may choose a job's name, image, size, place,
/// queue, priority, array, retries and time limits, most kinds of volumes, files and folders inside the
/// file's folder, parameters of built-in templates, variables that only tune a program, and labels and
/// annotations without a domain. Others need trust, because they may give the file access to secrets,
/// accounts or other files, or run other code. `settings` are all settings, sorted by increasing precedence.
/// Ignores settings of the file that a flag or a variable overrides, except those that can be repeated.
std::vector<Problem> untrusted_settings(const ProjectFile& file, std::span<const Setting> settings,
                                        const UsersOwn& own);

/// The keys of the project file that are in effect among `settings`, in the order of the file.
std::vector<std::string> project_keys(std::span<const Setting> settings);

}  // namespace kml::spec
