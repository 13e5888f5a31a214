#include <thread>

#include "kml/net/s3/client.h"

namespace kml::s3 {

Client make_client(const Bucket& bucket, const MakeTransport& make_transport) {
  const Profile profile = read_profile();
  Settings settings = settings_for(bucket, profile);
  CredentialSource credentials(profile, settings.region, make_transport, system_clock());
  return Client(
      std::move(settings), std::move(credentials), make_transport,
      [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); }, system_clock());
}

}  // namespace kml::s3
