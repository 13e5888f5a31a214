#pragma once

#include <linux/seccomp.h>

#include <cstdint>
#include <vector>

namespace kml::step {

/// What a system call does with a path.
enum class Use : std::uint8_t {
  look,         ///< asks about the file or folder to which the path leads, and maybe about its mode
  look_at_end,  ///< the same without following a link at the end of the path
  open,         ///< depends on the flags of open(2)
  execute,
  write,    ///< changes the file or its mode, but not its name
  make,     ///< creates a file or link, unless something is there
  replace,  ///< renames something to this path
  make_folder,
  remove,  ///< a file, or a folder if the flags say so
  remove_folder,
  rename,  ///< the old path of something that is renamed
};

/// One of the paths of a system call, by the indexes of its arguments; -1 stands for none.
struct PathArgument {
  int folder = -1;  ///< the descriptor of the folder to which a path is relative
  int path = -1;
  Use use = Use::look;
};

/// A system call that a recording must see.
struct PathCall {
  /// What else the call does, besides its work on paths.
  enum class Also : std::uint8_t { nothing, list, escape, clone, clone3 };

  int number = -1;
  PathArgument first = {}, second = {};
  int flags = -1;  ///< the argument with flags such as AT_SYMLINK_NOFOLLOW or those of open(2)
  Also also = Also::nothing;
};

/// The call with that number; null if a recording need not see it, or if this file does not know it.
const PathCall* path_call(int number);

/// A line of the program for seccomp(2).
struct FilterLine {
  std::uint16_t code;
  std::uint8_t if_true, if_false;
  std::uint32_t value;
};

/// The program that stops calls for the recorder, including calls that are newer than this file. The program
/// would not see calls of io_uring, so it makes io_uring fail as on a kernel without it.
std::vector<FilterLine> recording_filter();

/// Whether the call is one of this processor's own, and not one of a 32-bit program.
bool is_native(const seccomp_data& data);

}  // namespace kml::step
