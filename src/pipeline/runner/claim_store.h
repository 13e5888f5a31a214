#pragma once

#include <string>
#include <string_view>

namespace kml::pipeline {

/// The volume where the steps of a run leave their outputs: `--store pvc/NAME[/FOLDER]`. Outputs are in
/// v1/data/RUN/STEP/ATTEMPT/OUTPUT in the folder.
struct ClaimStore {
  std::string claim, folder;  ///< the claim's name; a folder in the volume, or empty
  std::string target;         ///< the claim's place: "CONTEXT/NAMESPACE"

  /// "pvc/NAME[/FOLDER]".
  std::string text() const { return "pvc/" + claim + (folder.empty() ? "" : "/" + folder); }
  /// A path in the store as a path in the claim's volume.
  std::string place(const std::string& path) const { return folder + (folder.empty() ? "" : "/") + path; }
};

/// Throws Error (usage) if the text is not a valid store.
ClaimStore parse_claim_store(std::string_view text);

}  // namespace kml::pipeline
