#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace kml {

/// How the user sees what kml waits for. The functions are called in another thread, while the thread that
/// waits does nothing else.
struct WaitingLine {
  std::function<void(const std::string& text)> show;  ///< replaces the text that was shown before
  std::function<void()> erase;
};

/// Lets each Waiting of this process use the line. A line without functions shows nothing.
void show_waiting_in(WaitingLine line);

/// A wait for another server, which cannot be followed from here. After three seconds, the line says what kml
/// is doing, which host it waits for, and since when. Inside of another Waiting, the outer one is shown.
class Waiting {
 public:
  /// `what` is, for example, "finding the packages of x.txt". If it is empty, nothing is shown.
  Waiting(std::string what, std::string host);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// "kml tried HOST for 54 s", for an error. `other`, if it is not empty, is the host that did not respond.
  std::string tried(const std::string& other = {}) const;

 private:
  class Watch;
  std::string host_;
  std::chrono::steady_clock::time_point began_;
  std::unique_ptr<Watch> watch_;  ///< null if nothing is shown
};

}  // namespace kml
