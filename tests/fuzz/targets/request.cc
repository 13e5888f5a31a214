// Requests to the embedded server, without sockets. The input is METHOD PATH CONTENT-TYPE, a newline, and the
// body.
#include "fuzz/input.h"
#include "local/controllers/bootstrap.h"
#include "local/routes/api_server.h"
#include "support/temporary_folder.h"

using namespace kml;
using namespace kml::local;

namespace {

struct Server {
  TemporaryFolder folder;
  EventLoop loop;
  Store store{folder.path() / "store.db", system_clock()};
  Namespaces namespaces{store, system_clock()};
  ApiServer api{loop, store, system_clock(), folder.path(), "secret", "user"};

  Server() { create_initial_objects(store); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* server = new Server;
  std::string_view input = fuzz::text_of(data, size);
  HttpRequest request;
  request.method = fuzz::take_until(input, ' ');
  std::string_view target = fuzz::take_until(input, ' ');
  request.path = fuzz::take_until(target, '?');
  while (!target.empty()) {
    std::string_view value = fuzz::take_until(target, '&');
    const std::string_view name = fuzz::take_until(value, '=');
    request.query.emplace(name, value);
  }
  request.content_type = fuzz::take_until(input, '\n');
  request.body = input;
  HttpResponse response = server->api.handle(request);
  fuzz::require(response.status >= 200 && response.status < 600 && response.status != 500);
  if (response.stream) {
    std::string piece;
    for (int i = 0; i < 3 && response.stream->read(piece) == BodySource::Next::more; ++i) piece.clear();
  }
  return 0;
}
