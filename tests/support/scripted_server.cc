#include "support/scripted_server.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <sstream>
#include <stdexcept>

#include "kml/base/text.h"
#include "support/test_certificates.h"

namespace kml {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

std::string subject_of_peer(gnutls_session_t tls) {
  unsigned count = 0;
  const gnutls_datum_t* chain = gnutls_certificate_get_peers(tls, &count);
  if (!chain || count == 0) return {};
  gnutls_x509_crt_t certificate;
  gnutls_x509_crt_init(&certificate);
  gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER);
  char name[256] = {};
  size_t size = sizeof name;
  gnutls_x509_crt_get_dn(certificate, name, &size);
  gnutls_x509_crt_deinit(certificate);
  return name;
}

}  // namespace

void ServerConnection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = tls_ ? gnutls_record_send(tls_, bytes.data(), bytes.size())
                              : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the client has closed the connection
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void ServerConnection::answer(int status, std::string_view body, const std::string& headers) {
  write("HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n" + headers + "\r\n" + std::string(body));
}

void ServerConnection::begin_chunks() {
  write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void ServerConnection::chunk(std::string_view data) {
  std::ostringstream size;
  size << std::hex << data.size();
  write(size.str() + "\r\n" + std::string(data) + "\r\n");
}

void ServerConnection::end_chunks() {
  write("0\r\n\r\n");
}

void ServerConnection::reset() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  closed_ = true;
}

void ServerConnection::half_close() {
  ::shutdown(fd_, SHUT_WR);
}

void ServerConnection::wait_for_close() {
  while (read_more()) unread_.clear();
  closed_ = true;
}

void ServerConnection::tunnel_to(int port) {
  const Fd there(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  closed_ = true;
  if (::connect(there.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  write("HTTP/1.1 200 x\r\n\r\n");
  pollfd sides[] = {{.fd = fd_, .events = POLLIN, .revents = 0},
                    {.fd = there.get(), .events = POLLIN, .revents = 0}};
  for (;;) {
    ::poll(sides, 2, -1);
    for (int side : {0, 1}) {
      if (!sides[side].revents) continue;
      char buffer[4096];
      const ssize_t got = ::recv(sides[side].fd, buffer, sizeof buffer, 0);
      if (got <= 0 || ::send(sides[1 - side].fd, buffer, static_cast<size_t>(got), MSG_NOSIGNAL) != got)
        return;
    }
  }
}

bool ServerConnection::read_more() {
  char buffer[4096];
  const ssize_t got =
      tls_ ? gnutls_record_recv(tls_, buffer, sizeof buffer) : ::recv(fd_, buffer, sizeof buffer, 0);
  if (got > 0) unread_.append(buffer, static_cast<size_t>(got));
  return got > 0;
}

bool ServerConnection::read(ReceivedRequest& request) {
  size_t end;
  while ((end = unread_.find("\r\n\r\n")) == std::string::npos)
    if (!read_more()) return false;
  std::istringstream lines(unread_.substr(0, end + 2));
  unread_.erase(0, end + 4);
  std::string line, version;
  std::getline(lines, line);
  std::istringstream(line) >> request.method >> request.target >> version;
  request.headers.clear();
  while (std::getline(lines, line)) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    request.headers[name] = trim(std::string_view(line).substr(colon + 1));
  }
  const size_t length = std::stoul("0" + request.headers["content-length"]);
  while (unread_.size() < length)
    if (!read_more()) return false;
  request.body = unread_.substr(0, length);
  unread_.erase(0, length);
  return true;
}

ScriptedServer::ScriptedServer(Handler handler, Tls tls, const std::string& certificate, Begin when)
    : handler_(std::move(handler)) {
  if (tls == Tls::yes) {
    const TestCertificates& files = TestCertificates::get();
    gnutls_certificate_allocate_credentials(&credentials_);
    if (gnutls_certificate_set_x509_key_file(credentials_, files.pem_path(certificate).c_str(),
                                             files.key_path(certificate).c_str(), GNUTLS_X509_FMT_PEM) < 0)
      throw std::runtime_error("the scripted server cannot use its certificate");
  }
  listener_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no port for the scripted server");
  port_ = ntohs(address.sin_port);
  if (when == Begin::now) begin();
}

void ScriptedServer::begin() {
  if (::listen(listener_.get(), 64) != 0) throw std::runtime_error("the scripted server cannot listen");
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  stopping_ = true;
  ::shutdown(listener_.get(), SHUT_RDWR);
  if (acceptor_.joinable()) acceptor_.join();
  {
    std::lock_guard lock(mutex_);
    for (int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  if (credentials_) gnutls_certificate_free_credentials(credentials_);
}

std::string ScriptedServer::url() const {
  return (credentials_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
}

std::vector<ReceivedRequest> ScriptedServer::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::accept_all() {
  for (;;) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd, number = ++connections_] { serve(fd, number); });
  }
}

void ScriptedServer::serve(int fd, int number) {
  gnutls_session_t tls = nullptr;
  if (credentials_) {
    gnutls_init(&tls, GNUTLS_SERVER | GNUTLS_NO_SIGNAL);
    gnutls_set_default_priority(tls);
    gnutls_credentials_set(tls, GNUTLS_CRD_CERTIFICATE, credentials_);
    gnutls_certificate_server_set_request(tls, GNUTLS_CERT_REQUEST);
    gnutls_transport_set_int(tls, fd);
  }
  ServerConnection connection(fd, tls);
  if (!tls || gnutls_handshake(tls) == GNUTLS_E_SUCCESS) serve_requests(connection, number);
  if (tls) gnutls_deinit(tls);
  std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  ::close(fd);
}

void ScriptedServer::serve_requests(ServerConnection& connection, int number) {
  ReceivedRequest request;
  request.connection = number;
  while (!stopping_ && !connection.closed_ && connection.read(request)) {
    if (connection.tls_) request.client = subject_of_peer(connection.tls_);
    {
      std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    handler_(request, connection);
  }
}

}  // namespace kml
