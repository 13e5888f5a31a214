#pragma once

#include <string>
#include <string_view>

namespace kml::local {

/// The end of what a container wrote, for its status: 2,048 bytes or 80 lines, whichever is less
/// (k8s.io/kubernetes/pkg/kubelet/container, MaxContainerTerminationMessageLogLength and -Lines).
class OutputTail {
 public:
  void add(std::string_view bytes);
  std::string text() const;

 private:
  std::string end_;
};

}  // namespace kml::local
