#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pod/copy/content_sum.h"
#include "pod/copy/pod_shell.h"

namespace kml::pod {

/// An entry in a tree of files to copy.
struct CopyEntry {
  enum class Kind { file, folder, link, other };

  std::string path = {};  ///< relative to the root of the tree; empty for the root
  Kind kind = Kind::other;
  unsigned mode = 0;        ///< the permissions, without the file's type
  std::uintmax_t size = 0;  ///< the size of a file, in bytes
  long long modified = 0;   ///< the time of the last change, in seconds since 1970
  std::string target = {};  ///< of a link
};

/// Files in a container, as `find` lists them: a folder comes before its contents.
struct PodTree {
  enum class Kind { missing, other, file, folder };

  Kind kind = Kind::missing;
  std::vector<CopyEntry> entries = {};
};

/// Lists the file or folder. Throws Error if a name would lead out of the tree.
PodTree list_pod_tree(PodShell& shell, const std::string& path);
/// The listing's script.
ShellCall listing_call(const std::string& path);
/// Parses the output of the listing script. Throws garbled() if it is incomplete.
PodTree parse_pod_tree(std::string_view text);

/// "./-x" for "-x", because tools would treat that path as a flag.
std::string plain_path(const std::string& path);

/// Whether the tools print the name unchanged and on one line.
bool is_plain_name(std::string_view path);

/// The checksums of these files, in the same order. The names start with "./", and are relative to `folder`.
std::vector<std::string> sums_in_pod(PodShell& shell, SumTool tool, const std::string& folder,
                                     const std::vector<std::string>& names);

/// An upper limit for the number of bytes that a tool prints for the checksums of these files.
size_t longest_sums(const std::vector<std::string>& names);

/// The names as the input of a script; each is followed by a zero byte.
std::function<std::string()> names_as_input(const std::vector<std::string>& names);

/// The tools of an image that a copy may use.
struct PodTools {
  SumTool sum = SumTool::sha256sum;
  bool has_tar = false;
  bool has_head = false;
};

/// The tools in the image, and the output of a script (see PodShell::output_of).
struct ToolsAndOutput {
  PodTools tools;
  std::string output;
};

/// Finds the tools, then runs the script, in a single session. Throws Error if a tool that a copy needs is
/// missing.
ToolsAndOutput tools_and_output(PodShell& shell, ShellCall call, const std::string& tried, size_t most);

}  // namespace kml::pod
