#pragma once

#include <string>
#include <string_view>

namespace kml::pipeline {

/// A volume on which the steps of a run leave their outputs: `--store pvc/NAME[/FOLDER]`. Its files and
/// folders are at v1/data/RUN/STEP/ATTEMPT/OUTPUT in the folder.
struct ClaimStore {
  std::string claim, folder;  ///< the name of the claim; a folder on the volume, which may be empty
  std::string target;         ///< the claim's place: "CONTEXT/NAMESPACE"

  /// "pvc/NAME[/FOLDER]".
  std::string text() const { return "pvc/" + claim + (folder.empty() ? "" : "/" + folder); }
  /// The path on the claim's volume for a path in the store.
  std::string place(const std::string& path) const { return folder + (folder.empty() ? "" : "/") + path; }
};

/// Throws usage Error if the text is not a valid store.
ClaimStore parse_claim_store(std::string_view text);

}  // namespace kml::pipeline
