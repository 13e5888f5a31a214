#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>

#include "kml/base/clock.h"
#include "kml/base/files.h"

/// Calls that Linux and macOS do not share. src/base/system_calls_linux.cc and system_calls_macos.cc
/// implement them; CMake compiles one of the two. Unless another result is named, a failure leaves its cause
/// in errno.
namespace kml {

/// The ends of a pipe. Programs that this process starts do not inherit them. Both are empty if it fails.
struct Pipe {
  Fd reader, writer;
};
Pipe make_pipe();

/// A TCP socket, which does not block and which started programs do not inherit. Empty if it fails.
Fd make_socket(int family);
/// The next connection to the socket, with the same properties. Empty if none waits.
Fd next_connection(int listener);
/// Whether the operation may succeed once descriptors or memory are freed. A connection that could not be
/// accepted is still waiting, and would wake a poll of its listener again at once.
bool lacks_descriptors(int error);

/// Lets a TCP socket fail within about a minute if its peer has vanished. The systems' defaults take hours.
void notice_vanished_peer(int socket);

/// When the content of the file last changed.
Time modification_time(const struct stat& file);
/// When its content, name or properties last changed.
Time change_time(const struct stat& file);
/// The time that the file system gives to files changed now. On Linux it advances only every few
/// milliseconds.
Time file_clock();

/// Writes the content of the file, but not its times, to its disk.
bool sync_content(int file);
/// Writes everything on the file system of this file to its disk.
bool sync_file_system(int file);

/// Reserves disk space for the file, so that it can grow to `bytes`. False if the disk has less, or if the
/// system or the file system cannot reserve any.
bool keep_space(int file, uint64_t bytes);

/// Renames a file or folder, but fails with EEXIST if the new name is taken.
bool rename_to_free(const std::filesystem::path& from, const std::filesystem::path& to);
/// Exchanges the names of two files or folders, so that both exist at every moment.
bool exchange_names(const std::filesystem::path& one, const std::filesystem::path& other);

/// Opens the file of a descriptor again for writing, with a separate mode and O_NONBLOCK. Empty if the
/// system cannot.
Fd open_again(int file);

/// A file without a name in that folder, for writing. Empty if the system or the file system does not support
/// it.
Fd make_nameless(int folder);
/// Gives the file a name. Fails if the name is taken.
bool give_name(int file, int folder, const char* name);

/// The variables of this process, as "NAME=value", up to a null pointer: environ(7).
char** own_environment();

/// Closes all descriptors from this one on. May be called after fork() in a program with threads.
void close_from(int first);

/// The memory of this process, in bytes. Zeros if the system does not report it.
struct MemoryUse {
  size_t space = 0;     ///< the address space, if that is limited
  size_t resident = 0;  ///< the machine's memory
};
MemoryUse memory_use();

/// Time since the machine started, including the time in which it slept.
nanoseconds time_since_boot();

}  // namespace kml
