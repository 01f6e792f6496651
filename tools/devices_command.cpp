// `octavo devices`: the back ends in this build and the devices in this machine.
#include <iostream>
#include <memory>
#include <octavo/device.hpp>

#include "command.hpp"
#include "exit_code.hpp"
#include "human_units.hpp"
#include "json_output.hpp"
#include "text_table.hpp"

namespace octavo::tools {
namespace {

void print_devices_json() {
  Json devices = Json::array();
  for (const DeviceInfo& info : list_devices()) {
    devices.push_back({{"device", to_string(info.device)},
                       {"name", info.name},
                       {"total_bytes", info.total_bytes},
                       {"free_bytes", info.free_bytes},
                       {"details", info.details}});
  }
  print_json({{"backends", list_backends()}, {"devices", devices}, {"best", to_string(Device::best())}});
}

void print_devices() {
  std::string backends;
  for (const std::string& backend : list_backends()) backends += (backends.empty() ? "" : ", ") + backend;
  std::cout << "Back ends in this build: " << backends << "\n\n";
  TextTable table("llrrl");
  table.add_row({"device", "name", "memory", "free", "details"});
  for (const DeviceInfo& info : list_devices()) {
    table.add_row({to_string(info.device), info.name, format_bytes(info.total_bytes), format_bytes(info.free_bytes),
                   info.details});
  }
  table.print(std::cout);
  std::cout << "\n--device auto means " << to_string(Device::best()) << " here.\n";
}

}  // namespace

Command add_devices_command(CLI::App& program) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* verb =
      add_verb(program, "devices", "Show the back ends of this build and the devices of this machine", *options);
  return {verb, [options] {
            options->json ? print_devices_json() : print_devices();
            return kDone;
          }};
}

}  // namespace octavo::tools
