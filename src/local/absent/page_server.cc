// See daemon.cc. The pages need the embedded server's HTTP server, which waits for events with features that
// only Linux has.

#include "kml/local/page_server.h"

#include "kml/base/error.h"

namespace kml::local {

struct PageServer::State {};

PageServer::PageServer(int /*port*/) {
  throw Error(ErrorCode::failure, "cannot serve pages",
              "this kml is only a client of clusters: its web server needs Linux",
              "use kml for Linux, in a virtual machine; or write one page: kml ui --web --once FILE.html");
}

PageServer::~PageServer() = default;
int PageServer::port() const {
  return 0;
}
void PageServer::run(Handler /*gate*/, Handler /*handler*/) {}
void PageServer::watch(int /*fd*/, std::function<void()> /*callback*/) {}
void PageServer::forget(int /*fd*/) {}
void PageServer::after(std::chrono::milliseconds /*delay*/, std::function<void()> /*callback*/) {}

}  // namespace kml::local
