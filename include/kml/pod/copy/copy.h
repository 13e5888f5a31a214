#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// A file or folder of a running container.
struct PodPath {
  RunningRank rank;
  std::string shown;  ///< the user's name for the container: "bert/0", "pvc/runs"
  std::string path;   ///< the path in the container; may be relative to its working directory
};

struct CopyReport {
  std::function<void(const std::string&)> note;  ///< receives a sentence without a full stop
  std::function<void(std::uintmax_t done, std::uintmax_t total)> progress;  ///< in bytes
};

struct CopyResult {
  size_t files = 0;
  std::uintmax_t bytes = 0;
  std::string target = {};                ///< where the file or folder is now
  std::string sum_tool = {};              ///< the tool that computed the compared checksums: "sha256sum"
  std::vector<std::string> skipped = {};  ///< the entries that were not copied, and why
};

// Both functions copy a file, or a folder with all its content, and compare a checksum of each file on both
// sides. If the target is a folder, or ends with "/", the copy is placed in it; otherwise, the copy gets the
// target's name. A folder is merged into an existing one. Modes, the times of files, and links that stay
// within the folder are kept; other links, devices, pipes and sockets are skipped.
//
// A file gets its name when it is complete; until then, it is named ".NAME.kml-part", or is in a folder with
// such a name. If the connection breaks, the copy continues where it stopped, and so does a new call with the
// same arguments. The functions throw Error if something does not exist, cannot be read or written, or
// changes while it is copied, and Error (interrupted) on a signal.

CopyResult copy_from_pod(kube::Client& client, const PodPath& source, const std::filesystem::path& target,
                         const CopyReport& report, const job::Interrupt& interrupt);
CopyResult copy_to_pod(kube::Client& client, const std::filesystem::path& source, const PodPath& target,
                       const CopyReport& report, const job::Interrupt& interrupt);

}  // namespace kml::pod
