#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>

#include "kml/base/clock.h"
#include "kml/base/files.h"

/// System calls that differ between Linux and macOS. src/base/system_calls_linux.cc and system_calls_macos.cc
/// implement them, and CMake compiles one of the two. Unless a comment says otherwise, errno has the cause of
/// a failure.
namespace kml {

/// The two ends of a pipe. Programs that this process starts do not inherit them. If creating the pipe fails,
/// both are empty.
struct Pipe {
  Fd reader, writer;
};
Pipe make_pipe();

/// A TCP socket, which does not block, and which programs started by this process do not inherit. Empty on
/// failure.
Fd make_socket(int family);
/// The next connection to the socket, with the same properties. Empty if none is waiting, and on failure.
Fd next_connection(int listener);
/// Whether the error means that descriptors or memory are exhausted. If accepting a connection fails with
/// such an error, the connection still waits, and poll() would report the listener again at once.
bool lacks_descriptors(int error);

/// Makes operations on a TCP socket fail within about a minute if the peer has vanished. By default, that
/// would take hours.
void notice_vanished_peer(int socket);

/// When the content of the file last changed.
Time modification_time(const struct stat& file);
/// When the file's content, name or properties last changed.
Time change_time(const struct stat& file);
/// The time that the file system gives to files changed now. On Linux, it only advances every few
/// milliseconds.
Time file_clock();

/// Writes the content of the file, but not its times, to disk.
bool sync_content(int file);
/// Writes everything on this file's file system to disk.
bool sync_file_system(int file);

/// Reserves disk space so that the file can grow to `bytes`. Returns false if the disk has less, or if the
/// system or the file system cannot reserve space.
bool keep_space(int file, uint64_t bytes);

/// Renames a file or folder. If the new name is taken, fails with EEXIST.
bool rename_to_free(const std::filesystem::path& from, const std::filesystem::path& to);
/// Exchanges the names of two files or folders. At any moment, both names exist.
bool exchange_names(const std::filesystem::path& one, const std::filesystem::path& other);

/// Whether the folder is on a disk of this machine, or in its memory. False for network file systems, and for
/// those that are not known.
bool is_on_local_disk(const std::filesystem::path& folder);

/// Opens the file behind a descriptor again, for writing, with its own mode and O_NONBLOCK. Empty on failure,
/// such as if the system does not support this.
Fd open_again(int file);

/// Creates a file without a name in this folder, for writing. Empty on failure, such as if the system or the
/// file system does not support this.
Fd make_nameless(int folder);
/// Gives a name to a file from make_nameless(). Fails if the name is taken.
bool give_name(int file, int folder, const char* name);

/// The environment variables of this process, as "NAME=value", followed by a null pointer: environ(7).
char** own_environment();

/// Closes all descriptors from `first` upward. Can be called after fork() in a program with threads.
void close_from(int first);

/// The memory used by this process, in bytes. Zero if the system does not report it.
struct MemoryUse {
  size_t space = 0;     ///< the address space in use; 0 on macOS, which does not limit it
  size_t resident = 0;  ///< the machine's memory
};
MemoryUse memory_use();

/// The time since the machine was started, including time in which it slept.
nanoseconds time_since_boot();

}  // namespace kml
