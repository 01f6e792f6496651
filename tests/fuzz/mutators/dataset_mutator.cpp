// Mutates the relevant parts of dataset files: numbers or text of the index, header fields, data. Then repairs the
// checksums.
#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <vector>

#include "mutate.hpp"
#include "packed_file.hpp"

using namespace octavo::fuzz;

namespace {

using Random = std::minstd_rand;

constexpr std::array<const char*, 16> kNumbers = {"0",
                                                  "1",
                                                  "-1",
                                                  "2",
                                                  "255",
                                                  "4095",
                                                  "4096",
                                                  "65536",
                                                  "2147483647",
                                                  "2147483648",
                                                  "4294967296",
                                                  "4503599627370497",
                                                  "9007199254740992",
                                                  "9223372036854775807",
                                                  "18446744073709551615",
                                                  "0.5"};

std::string mutated(const std::string& text, std::size_t room) {
  std::vector<std::uint8_t> bytes(std::max(room, text.size()) + 1);
  std::memcpy(bytes.data(), text.data(), text.size());
  const std::size_t size = LLVMFuzzerMutate(bytes.data(), text.size(), bytes.size());
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

/// Replaces a random number in the text.
void replace_number(std::string& text, Random& random) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const bool is_begin = std::strchr(":,[", text[at - 1]) != nullptr;
    if (is_begin && (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-')) begins.push_back(at);
  }
  if (begins.empty()) return;
  const std::size_t at = begins[random() % begins.size()];
  const std::size_t end = std::min(text.find_first_of(",]}", at), text.size());
  // A value near the old one, or a known troublesome value.
  std::string number = kNumbers[random() % kNumbers.size()];
  if (random() % 2 == 0 && end - at < 18) {
    number = std::to_string(std::atoll(text.substr(at, end - at).c_str()) + static_cast<int>(random() % 17) - 8);
  }
  text.replace(at, end - at, number);
}

void mutate_index(PackedFile& file, std::size_t room, Random& random) {
  if (random() % 3 == 0) {
    file.index() = mutated(file.index(), room);
  } else {
    for (auto count = random() % 3 + 1; count > 0; --count) replace_number(file.index(), random);
  }
}

/// The file with a mutated header field. Only the header's own hash is repaired.
std::string with_mutated_header(PackedFile& file, Random& random) {
  std::string bytes = file.put_together();
  octavo::dataset_file::Header header = file.header();
  const std::array<std::int64_t*, 4> fields = {&header.version, &header.file_length, &header.index_offset,
                                               &header.index_length};
  const std::string text = mutated(std::string(8, '\1'), 8);
  std::int64_t value = static_cast<std::int64_t>(random() % 16) - 8;
  if (text.size() >= 8 && random() % 2 == 0) std::memcpy(&value, text.data(), sizeof value);
  std::int64_t& field = *fields[random() % fields.size()];
  field = static_cast<std::int64_t>(static_cast<std::uint64_t>(field) + static_cast<std::uint64_t>(value));
  const auto encoded = octavo::dataset_file::encode_header(header);
  std::memcpy(bytes.data(), encoded.data(), encoded.size());
  return bytes;
}

std::string mutated_file(PackedFile& file, std::size_t room, Random& random) {
  const auto choice = random() % 8;
  if (choice == 0) return with_mutated_header(file, random);
  if (choice <= 5) mutate_index(file, file.index().size() + room, random);
  if (choice >= 5) file.data() = mutated(file.data(), file.data().size());
  if (random() % 8 != 0) file.repair_hashes();
  return file.put_together();
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  auto file = PackedFile::take_apart({reinterpret_cast<const char*>(data), size});
  if (!file || seed % 32 == 0) return LLVMFuzzerMutate(data, size, max_size);
  Random random(seed);
  const std::string bytes = mutated_file(*file, max_size > size ? max_size - size : 0, random);
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
