#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kml/core/files.h"
#include "local/http/certificate.h"

namespace kml::local {

/// The files of a server's state folder, besides the pods' (pod_folder.h). All are 0600 in a 0700 folder.
struct ServerFolder {
  std::filesystem::path path;

  std::filesystem::path store() const { return path / "store.db"; }
  std::filesystem::path kubeconfig() const { return path / "kubeconfig"; }
  std::filesystem::path socket() const { return path / "server.sock"; }
  std::filesystem::path log() const { return path / "server.log"; }
  std::filesystem::path identity() const { return path / "identity.json"; }
  std::filesystem::path pid() const { return path / "server.pid"; }         ///< for people and scripts
  std::filesystem::path lock() const { return path / "server.lock"; }       ///< held while a server lives
  std::filesystem::path start_lock() const { return path / "start.lock"; }  ///< held by who starts one
};

/// The folder that was asked for, or the usual one; absolute.
ServerFolder server_folder(const std::filesystem::path& asked);

/// Makes it, or checks that it is this user's, and closes it to others.
void make_server_folder(const ServerFolder& folder);

/// Takes the server's lock for the life of this process; empty where another process has it. The lock is a
/// POSIX one: it names its holder, and a forked child does not inherit it.
std::optional<Fd> take_server_lock(const ServerFolder& folder);
/// The process that holds it; 0 if none does.
int server_lock_holder(const ServerFolder& folder);
/// Says that the server answers: by a lock on another byte, which needs no room on the disk.
void mark_ready(const Fd& lock);
/// Whether that process has said so.
bool is_ready(const ServerFolder& folder, int pid);

/// What a client must know to trust the server and be trusted. Made once, so that kubeconfig files go on
/// working.
struct Credentials {
  Identity identity;
  std::string token;
};
/// Throws Error if the file is missing or lacks one of them.
Credentials read_credentials(const ServerFolder& folder);
Credentials load_or_make_credentials(const ServerFolder& folder);

/// As the system calls the user of this process.
std::string user_name();
/// Writes the kubeconfig file where it differs: context "local", user as the system's user is called.
void write_kubeconfig(const ServerFolder& folder, const Credentials& credentials, int port);
/// The server's URL as the kubeconfig file says it; empty if there is none.
std::string url_in_kubeconfig(const ServerFolder& folder);

}  // namespace kml::local
