#include "serve/server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/say.h"
#include "base/stop.h"
#include "comm/socket.h"

namespace trainer {

namespace {

constexpr size_t kLargestRequest = size_t{1} << 20;
constexpr size_t kMostClients = 256;
using Clock = std::chrono::steady_clock;
/// How long a client may be silent between two requests, and how long one request and its answer may take.
/// The client is then disconnected.
constexpr std::chrono::seconds kIdle{60}, kWholeRequest{10};

struct Client {
  Fd socket;
  std::string received, to_send;
  Clock::time_point
      /// when the client connected, sent its last whole request, or sent the first bytes of an incomplete one
      since;
  bool ends = false;  ///< whether the connection ends once all is sent

  bool is_late(Clock::time_point now) const {
    return now - since >= (received.empty() && to_send.empty() ? kIdle : kWholeRequest);
  }
};

struct Request {
  std::string method;
  std::string body;
  size_t size = 0;  ///< the number of bytes of the whole request
  bool keeps_alive = true;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The value of a header; empty if it is missing. `head` is in lower case.
std::string header(const std::string& head, const std::string& name) {
  const size_t at = head.find("\r\n" + name + ":");
  if (at == std::string::npos) return "";
  const size_t begin = head.find_first_not_of(' ', at + name.size() + 3);
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

std::string response(const char* status, const std::string& body, const char* type, bool keeps_alive) {
  return std::string("HTTP/1.1 ") + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: " + (keeps_alive ? "keep-alive" : "close") + "\r\n\r\n" + body;
}

/// Why the client must be disconnected.
struct BadRequest {
  const char* status;
  const char* text;
};

/// The first request in these bytes; empty if it is not complete.
std::optional<Request> parse(const std::string& bytes) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (bytes.size() > kLargestRequest) throw BadRequest{"431 Request Header Fields Too Large", "too long\n"};
    return {};
  }
  const std::string head = lower(bytes.substr(0, end + 2));
  if (!header(head, "transfer-encoding").empty())
    throw BadRequest{"411 Length Required", "send the picture with a Content-Length\n"};
  size_t length = 0;
  if (const std::string text = header(head, "content-length"); !text.empty()) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error != std::errc() || rest != text.data() + text.size())
      throw BadRequest{"400 Bad Request", "Content-Length is not a number\n"};
  }
  if (length > kLargestRequest) throw BadRequest{"413 Content Too Large", "a picture has at most 1 MiB\n"};
  Request request{bytes.substr(0, bytes.find(' ')), "", end + 4 + length,
                  header(head, "connection") != "close"};
  if (head.substr(0, head.find("\r\n")).ends_with("http/1.0")) request.keeps_alive = false;
  if (bytes.size() < request.size) return {};
  request.body = bytes.substr(end + 4, length);
  return request;
}

std::string answer(Predictor& predictor, const Request& request) {
  const char* const text = "text/plain; charset=utf-8";
  const bool keeps = request.keeps_alive && stop_signal() == 0;
  if (request.method == "GET") return response("200 OK", "ready: POST a picture\n", text, keeps);
  if (request.method != "POST") return response("405 Method Not Allowed", "POST a picture\n", text, keeps);
  try {
    const auto* bytes = reinterpret_cast<const uint8_t*>(request.body.data());
    const std::vector<uint8_t> picture = picture_of({bytes, request.body.size()}, predictor.pixels());
    return response("200 OK", prediction_line(predictor.probabilities(picture)) + "\n", "application/json",
                    keeps);
  } catch (const Error& error) {
    return response("400 Bad Request",
                    std::string(error.what()) + ": " + error.why() + "\n" + error.fix() + "\n", text, keeps);
  }
}

void answer_all(Predictor& predictor, Client& client) try {
  while (!client.ends) {
    const std::optional<Request> request = parse(client.received);
    if (!request) return;
    client.received.erase(0, request->size);
    client.since = Clock::now();
    client.to_send += answer(predictor, *request);
    client.ends = !request->keeps_alive || stop_signal() != 0;
  }
} catch (const BadRequest& bad) {
  client.to_send += response(bad.status, bad.text, "text/plain", false);
  client.ends = true;
}

/// Returns false if the connection has ended.
bool receive(Client& client) {
  char bytes[16384];
  const ssize_t count = recv(client.socket.get(), bytes, sizeof bytes, 0);
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (client.received.empty()) client.since = Clock::now();
  client.received.append(bytes, static_cast<size_t>(count));
  return true;
}

bool send_some(Client& client) {
  const ssize_t count = send(client.socket.get(), client.to_send.data(), client.to_send.size(), MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  client.to_send.erase(0, static_cast<size_t>(count));
  return !(client.ends && client.to_send.empty());
}

/// The client to disconnect when there is no room, so that clients that send nothing do not block others.
std::list<Client>::iterator longest_waiting(std::list<Client>& clients) {
  return std::min_element(clients.begin(), clients.end(),
                          [](const Client& a, const Client& b) { return a.since < b.since; });
}

}  // namespace

int serve(Predictor& predictor, const std::string& address, uint16_t port) {
  std::string why;
  Fd listener;
  for (const Address& each : resolve(address, port, why)) {
    listener = listen_at(port, &each);
    if (listener.get() >= 0) break;
    why = errno_text(errno);
  }
  if (listener.get() < 0) throw Error("cannot listen at " + address + ", port " + std::to_string(port), why);
  say("serving at port " + std::to_string(local_address(listener.get()).port()) + "; POST a picture");
  std::list<Client> clients;
  while (stop_signal() == 0) {
    std::vector<pollfd> watched;
    for (const Client& client : clients)
      watched.push_back(
          {client.socket.get(), static_cast<short>(client.to_send.empty() ? POLLIN : POLLOUT), 0});
    watched.push_back({listener.get(), POLLIN, 0});
    constexpr int kLookAgain = 200;  // in ms; limits the wait, because a signal may arrive just before poll()
    if (poll(watched.data(), watched.size(), kLookAgain) < 0 && errno != EINTR) break;
    size_t index = 0;
    for (auto client = clients.begin(); client != clients.end();) {
      const short events = watched[index++].revents;
      bool stays = !client->is_late(Clock::now());
      if (events & (POLLIN | POLLHUP | POLLERR)) stays = receive(*client);
      if (stays) answer_all(predictor, *client);
      if (stays && !client->to_send.empty()) stays = send_some(*client);
      client = stays ? std::next(client) : clients.erase(client);
    }
    Address from;
    if (!(watched.back().revents & POLLIN)) continue;
    Fd accepted = accept_one(listener.get(), from);
    const bool is_accepted = accepted.get() >= 0,
               is_full = is_accepted ? clients.size() == kMostClients : lacks_descriptors(errno);
    if (is_full && !clients.empty()) clients.erase(longest_waiting(clients));
    if (is_accepted) clients.push_back({std::move(accepted), "", "", Clock::now()});
  }
  return 0;
}

}  // namespace trainer
