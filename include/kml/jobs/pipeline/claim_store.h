#pragma once

#include <string>
#include <string_view>

namespace kml::jobs {

/// The volume on which a run's steps leave what they make: `--store pvc/NAME[/FOLDER]`. Below the folder it
/// is laid out as v1/data/RUN/STEP/ATTEMPT/OUTPUT.
struct ClaimStore {
  std::string claim, folder;  ///< the claim's name; a folder in it, or empty
  std::string target;         ///< whose claim it is: "CONTEXT/NAMESPACE"

  /// "pvc/NAME[/FOLDER]".
  std::string text() const { return "pvc/" + claim + (folder.empty() ? "" : "/" + folder); }
};

/// Throws Error (usage) if the text is no store.
ClaimStore parse_claim_store(std::string_view text);

}  // namespace kml::jobs
