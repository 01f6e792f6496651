#include "launch/configuration.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace device_code {
namespace {

u32 number_of(const std::string& name, const std::string& value) {
  try {
    std::size_t end = 0;
    const unsigned long number = std::stoul(value, &end);
    if (end == value.size() && number <= 0xFFFFFFFFu) return static_cast<u32>(number);
  } catch (const std::exception&) {
    // Reported below.
  }
  throw std::invalid_argument("DEVICE_CODE: " + name + " expects a number, got \"" + value + "\"");
}

bool is_yes(const std::string& name, const std::string& value) {
  if (value != "yes" && value != "no") {
    throw std::invalid_argument("DEVICE_CODE: " + name + " expects yes or no, got \"" + value + "\"");
  }
  return value == "yes";
}

void set_option(const std::string& name, const std::string& value, Configuration& configuration) {
  MachineOptions& options = configuration.options;
  if (name == "ptx") {
    configuration.folder = value;
  } else if (name == "order") {
    if (value != "random" && value != "together") {
      throw std::invalid_argument("DEVICE_CODE: order expects random or together, got \"" + value + "\"");
    }
    options.is_random = value == "random";
  } else if (name == "seed") {
    options.seed = number_of(name, value);
  } else if (name == "blocks") {
    options.resident_blocks = number_of(name, value);
    if (options.resident_blocks == 0) {
      throw std::invalid_argument("DEVICE_CODE: blocks expects a number from 1, got \"" + value + "\"");
    }
  } else if (name == "races") {
    options.finds_races = is_yes(name, value);
  } else if (name == "counts") {
    options.counts_requests = is_yes(name, value);
  } else {
    throw std::invalid_argument("DEVICE_CODE: unknown option \"" + name +
                                "\"; expected ptx, order, seed, blocks, races or counts");
  }
}

}  // namespace

Configuration parse_configuration(std::string_view text) {
  Configuration configuration;
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    const std::string_view option = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) {
      throw std::invalid_argument("DEVICE_CODE: expected option=value, got \"" + std::string(option) + "\"");
    }
    set_option(std::string(option.substr(0, equals)), std::string(option.substr(equals + 1)), configuration);
  }
  return configuration;
}

const Configuration& configuration() {
  static const Configuration parsed = [] {
    const char* const text = std::getenv("DEVICE_CODE");
    Configuration found = parse_configuration(text == nullptr ? "" : text);
    if (found.folder.empty()) {
      throw std::invalid_argument("DEVICE_CODE: names no PTX; set DEVICE_CODE=ptx=FOLDER");
    }
    return found;
  }();
  return parsed;
}

}  // namespace device_code
