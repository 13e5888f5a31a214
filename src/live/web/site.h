#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kml/local/page_server.h"
#include "live/model/model.h"
#include "live/web/calls.h"
#include "live/web/consent.h"
#include "live/web/door.h"
#include "live/web/feed.h"

namespace kml::live {

/// The texts of the page.
struct PageFiles {
  std::string page, style, script, enter_script;
};

struct SiteSettings {
  int port = 0;  ///< 0 means any free port
  bool may_act = false;
  std::string kubeconfig = {};  ///< the file that the user named, for commands to copy; may be empty
  PageFiles files;
  /// The command line of a kml process for a row.
  std::function<std::vector<std::string>(const RowCommand&)> kml;
  /// The command line as a user would type it.
  std::function<std::string(const RowCommand&)> typed;
};

/// The pages of `kml ui --web`: they show the model as it changes. Details of one row, such as why a job
/// waits, come from kml's own commands.
class Site {
 public:
  Site(Model& model, SiteSettings settings);

  /// The address that the user opens.
  std::string address() const;
  int port() const { return server_.port(); }
  /// Serves until SIGINT or SIGTERM.
  void run();

 private:
  local::HttpResponse respond(const local::HttpRequest& request);
  local::HttpResponse file(const std::string& path) const;
  local::HttpResponse answer(const Question& question);
  local::HttpResponse ask(const Json& asked);
  local::HttpResponse act(const Json& asked);
  void update();
  void watch_model();
  void tick();
  void beat();
  std::vector<std::string> clusters() const;

  Model& model_;
  SiteSettings settings_;
  local::PageServer server_;
  Door door_;
  Broadcast broadcast_;
  Calls calls_;
  Consent consent_;
  std::vector<int> watched_;
  bool is_update_due_ = false;
};

}  // namespace kml::live
