#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kml/base/files.h"
#include "local/http/certificate.h"

namespace kml::local {

/// The files in a server's state folder, except those of pods (pod_folder.h). All files have mode 0600, and
/// the folder has 0700.
struct ServerFolder {
  std::filesystem::path path;

  std::filesystem::path store() const { return path / "store.db"; }
  std::filesystem::path kubeconfig() const { return path / "kubeconfig"; }
  std::filesystem::path socket() const { return path / "server.sock"; }
  std::filesystem::path log() const { return path / "server.log"; }
  std::filesystem::path identity() const { return path / "identity.json"; }
  std::filesystem::path pid() const { return path / "server.pid"; }         ///< for people and scripts
  std::filesystem::path lock() const { return path / "server.lock"; }       ///< locked while a server lives
  std::filesystem::path start_lock() const { return path / "start.lock"; }  ///< locked while starting one
};

/// The requested folder, or the default one; absolute.
ServerFolder server_folder(const std::filesystem::path& asked);

/// Creates the folder or checks that it belongs to this user, and closes it to other users.
void make_server_folder(const ServerFolder& folder);

/// Takes the server's lock for the life of this process; empty if another process holds it. It is a POSIX
/// lock: the kernel reports its holder, and a forked child does not inherit it.
std::optional<Fd> take_server_lock(const ServerFolder& folder);
/// Returned instead of a process that this one cannot see: a pod has its own process numbers (fcntl(2),
/// F_GETLK, then reports 0).
inline constexpr int kServerOutside = -1;
/// The process that holds the server's lock; 0 if none does, kServerOutside if this process runs in a pod.
int server_lock_holder(const ServerFolder& folder);
/// Marks the server as ready by locking a second byte of the file, which needs no disk space.
void mark_ready(const Fd& lock);
/// Removes that mark, before the server removes its socket.
void mark_stopping(const Fd& lock);
/// Whether that process has marked itself as ready.
bool is_ready(const ServerFolder& folder, int pid);

/// The certificate and token by which clients and the server trust each other. Created once, so that existing
/// kubeconfig files stay valid.
struct Credentials {
  Identity identity;
  std::string token;
};
/// Throws Error if the file is missing or incomplete.
Credentials read_credentials(const ServerFolder& folder);
Credentials load_or_make_credentials(const ServerFolder& folder);

/// The system's name for this process's user; $USER if it has none, as a static kml sees users of sssd.
std::string user_name();
/// Writes the kubeconfig file if it differs. The context is "local"; the user has the system user's name.
void write_kubeconfig(const ServerFolder& folder, const Credentials& credentials, int port);
/// The server's URL in the kubeconfig file; empty if there is none.
std::string url_in_kubeconfig(const ServerFolder& folder);

}  // namespace kml::local
