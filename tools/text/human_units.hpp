// Numbers formatted for people.
#pragma once

#include <cstdint>
#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>
#include <string>

namespace octavo::tools {

/// "312 MiB/s".
std::string format_rate(double bytes_per_second);
/// "21.5 us", "4.8 ms", "0.42 s", "12 s", "3 min 20 s", "2 h 5 min".
std::string format_seconds(double seconds);
/// `value` with this many digits after the decimal point.
std::string format_fixed(double value, int digits);

/// With four decimals, or if these are too few, four digits: "0.2513", "2.513e-09".
std::string format_figure(double value);
/// Three significant digits: "19", "0.00392", "1.2e-05".
std::string format_significant(double value);

}  // namespace octavo::tools
