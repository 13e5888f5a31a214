#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kml/base/files.h"

struct gnutls_session_int;
struct gnutls_certificate_credentials_st;

namespace kml {

/// One request that a ScriptedServer received.
struct ReceivedRequest {
  std::string method, target, body;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string client;                          ///< the client certificate's subject, if any
  int connection = 0;                          ///< number of the connection, from 1
};

/// The server's side of a connection.
class ServerConnection {
 public:
  ServerConnection(int fd, gnutls_session_int* tls) : fd_(fd), tls_(tls) {}

  void write(std::string_view bytes);
  /// Sends a whole response; `headers` are lines that each end in "\r\n".
  void answer(int status, std::string_view body, const std::string& headers = "");
  void begin_chunks();
  void chunk(std::string_view data);
  void end_chunks();
  /// Makes the server accept no further request on this connection.
  void close() { closed_ = true; }
  /// Closes the connection so that the client sees a reset.
  void reset();
  /// Closes the server's side of the connection, but continues to read.
  void half_close();
  /// Waits until the client has closed its side.
  void wait_for_close();
  /// Transfers bytes between the client and that port of 127.0.0.1 until one side closes, like a proxy after
  /// CONNECT. Only for plain http.
  void tunnel_to(int port);

 private:
  friend class ScriptedServer;
  /// Reads the next request; returns false at the end of the connection.
  bool read(ReceivedRequest& request);
  bool read_more();

  int fd_;
  gnutls_session_int* tls_;
  std::string unread_;
  bool closed_ = false;
};

/// An HTTP/1.1 server on 127.0.0.1. A test writes its responses, byte by byte if it wants to. Each connection
/// has a thread, which calls `handler` for each request.
class ScriptedServer {
 public:
  using Handler = std::function<void(const ReceivedRequest&, ServerConnection&)>;
  enum class Tls { no, yes };
  enum class Begin { now, later };

  /// `certificate` is one of TestCertificates. A server that is to begin later reserves its port, and rejects
  /// connections until begin().
  explicit ScriptedServer(Handler handler, Tls tls = Tls::no, const std::string& certificate = "server",
                          Begin when = Begin::now);
  ~ScriptedServer();

  void begin();

  std::string url() const;
  int port() const { return port_; }
  std::vector<ReceivedRequest> requests() const;

 private:
  void accept_all();
  void serve(int fd, int number);
  void serve_requests(ServerConnection& connection, int number);

  Handler handler_;
  Fd listener_;
  int port_ = 0;
  gnutls_certificate_credentials_st* credentials_ = nullptr;
  std::thread acceptor_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  int connections_ = 0;
  std::vector<int> open_;
  std::list<std::thread> threads_;
  std::vector<ReceivedRequest> requests_;
};

}  // namespace kml
