// Gathering compressed rows, compared with plain rows of the same samples: the samples of a dataset file, repeated
// until they are far larger than the cache. Also encoding them, and decoding them without a gather.
#include <algorithm>
#include <cstring>
#include <octavo/octavo.hpp>
#include <string>
#include <vector>

#include "format/codec.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/row_codes.hpp"
#include "support/big_memory.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo::bench;
using namespace octavo::kernels;
using octavo::SampleShape;

/// The samples of a file in both forms, repeated, and room for batches.
class Bench {
 public:
  Bench(const octavo::Split& split, octavo::Compression encoding, std::size_t bytes)
      : codec_(octavo::dataset_file::codec_of(encoding)),
        shape_(split.shape()),
        tables_(codec_.tables_for(shape_)),
        distinct_(std::min(split.sample_count(), static_cast<std::int64_t>(bytes) / 4 / shape_.values())) {
    codes_.resize(static_cast<std::size_t>(distinct_ * shape_.values()));
    split.read(0, distinct_, codes_);
    std::vector<std::uint32_t> sizes;
    encode(rows_, &sizes);
    repeats_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / codes_.size()));
    plain_ = make_big_memory(codes_.size() * static_cast<std::size_t>(repeats_));
    coded_ = make_big_memory(rows_.size() * static_cast<std::size_t>(repeats_) + kRowGuardBytes);
    offsets_ = {0};
    for (std::int64_t i = 0; i < repeats_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::memcpy(plain_.get() + at * codes_.size(), codes_.data(), codes_.size());
      std::memcpy(coded_.get() + at * rows_.size(), rows_.data(), rows_.size());
      for (const std::uint32_t size : sizes) offsets_.push_back(offsets_.back() + size);
    }
    out_bytes_ = bytes;
    out_ = make_big_memory(bytes);
  }

  double ratio_to_float32() const {
    return 4.0 * static_cast<double>(codes_.size()) /
           static_cast<double>(rows_.size() + sizeof(std::uint32_t) * static_cast<std::size_t>(distinct_));
  }

  /// Checks that both gathers give the same values.
  void check() {
    GatherArgs plain = args(RowCoding::plain);
    GatherArgs coded = plain;
    coded.packed = packed(codec_.row_coding);
    plain.batch_count = coded.batch_count = std::min<std::int64_t>(plain.batch_count, 500);
    const auto bytes = static_cast<std::size_t>(plain.batch_count * shape_.values() * 4);
    run(plain, 1, octavo::kernels::cpu::Stores::cached);
    const std::vector<std::byte> expected(out_.get(), out_.get() + bytes);
    std::memset(out_.get(), 0xEE, bytes);
    run(coded, 1, octavo::kernels::cpu::Stores::cached);
    require(std::memcmp(out_.get(), expected.data(), bytes) == 0, name() + " gives other values than plain rows");
  }

  Subject gather_plain(int thread_count) { return gather(RowCoding::plain, "plain", 1.0, thread_count); }
  Subject gather_coded(int thread_count) {
    return gather(codec_.row_coding, name(), static_cast<double>(rows_.size()) / static_cast<double>(codes_.size()),
                  thread_count);
  }
  Subject decode() {
    return {"decoding " + name() + " rows into the cache", static_cast<double>(rows_.size() + codes_.size()), [this] {
              const PackedRows rows = packed(codec_.row_coding);
              octavo::kernels::cpu::ScratchParts counted(nullptr);
              octavo::kernels::cpu::RowCodes(rows, shape_.values(), counted);
              const BigMemory scratch = make_big_memory(static_cast<std::size_t>(counted.bytes()));
              octavo::kernels::cpu::ScratchParts parts(scratch.get());
              const octavo::kernels::cpu::RowCodes codes(rows, shape_.values(), parts);
              return seconds_of([&] {
                for (std::int64_t row = 0; row < distinct_; ++row) static_cast<void>(codes.of(row));
              });
            }};
  }
  Subject encode_all() {
    return {"encoding to " + name(), static_cast<double>(codes_.size()), [this] {
              std::vector<std::byte> rows;
              return seconds_of([&] { encode(rows, nullptr); });
            }};
  }
  Subject copy() {
    return {"memcpy of the codes", static_cast<double>(codes_.size()), [this] {
              return seconds_of([&] { std::memcpy(out_.get(), codes_.data(), std::min(codes_.size(), out_bytes_)); });
            }};
  }

 private:
  std::string name() const { return to_string(codec_.compression); }
  Subject gather(RowCoding coding, const std::string& rows, double stored_bytes, int thread_count) {
    const double values = static_cast<double>(args(coding).batch_count * shape_.values());
    return {"gather of " + rows + " rows, float32", values * (4 + stored_bytes),
            [=, this] { return run(args(coding), thread_count, octavo::kernels::cpu::Stores::streaming); }};
  }
  void encode(std::vector<std::byte>& rows, std::vector<std::uint32_t>* sizes) const {
    const auto encoder = codec_.make_row_encoder(shape_, tables_);
    const auto values = static_cast<std::size_t>(shape_.values());
    for (std::size_t at = 0; at < codes_.size(); at += values) {
      const std::size_t before = rows.size();
      encoder->encode(std::as_bytes(std::span(codes_).subspan(at, values)), rows);
      if (sizes != nullptr) sizes->push_back(static_cast<std::uint32_t>(rows.size() - before));
    }
  }
  PackedRows packed(RowCoding coding) const {
    PackedRows packed{};
    packed.codes = reinterpret_cast<const std::int8_t*>((coding == RowCoding::plain ? plain_ : coded_).get());
    packed.resident_count = distinct_ * repeats_;
    packed.row_stride_bytes = shape_.values();
    packed.coding = coding;
    packed.shape = shape_;
    packed.row_offsets = offsets_.data();
    packed.tables = tables_ ? tables_->entries.data() : nullptr;
    return packed;
  }
  GatherArgs args(RowCoding coding) {
    GatherArgs args{};
    args.packed = packed(coding);
    args.set_shapes(shape_, octavo::DType::float32, octavo::Layout::nchw);
    const std::int64_t N = args.packed.resident_count;
    args.selection = rows_in_order(make_order_key(N, 1, ++epoch_, true), 0, 0);
    args.batch_count = std::min(N, static_cast<std::int64_t>(out_bytes_) / (4 * shape_.values()));
    args.maps = maps_;
    args.uniform_map = true;
    args.values = out_.get();
    return args;
  }
  static double run(const GatherArgs& args, int thread_count, octavo::kernels::cpu::Stores stores) {
    std::vector<BigMemory> scratch;
    for (int i = 0; i < thread_count; ++i) {
      scratch.push_back(
          make_big_memory(static_cast<std::size_t>(octavo::kernels::cpu::gather_scratch_bytes(args)) + 64));
    }
    return run_team(thread_count, [&](int thread) {
      octavo::kernels::cpu::gather(args, args.batch_count * thread / thread_count,
                                   args.batch_count * (thread + 1) / thread_count, stores,
                                   scratch[static_cast<std::size_t>(thread)].get());
    });
  }

  const octavo::dataset_file::Codec& codec_;
  SampleShape shape_;
  std::shared_ptr<const octavo::dataset_file::RowTables> tables_;
  std::int64_t distinct_, repeats_ = 1;
  std::vector<std::int8_t> codes_;
  std::vector<std::byte> rows_;  ///< the distinct ones
  std::vector<std::uint64_t> offsets_;
  BigMemory plain_, coded_, out_;
  std::size_t out_bytes_ = 0;
  Affine maps_[1] = {{1.0f / 58.4f, 0.12f}};
  std::uint64_t epoch_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argv[1][0] == '-') throw std::runtime_error("usage: bench_coded_rows FILE.h5 [--mib M] [--rounds R]");
  const long mebibytes = option(argc, argv, "--mib", 1024);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 7));
  Results results("coded_rows", argc, argv);
  const octavo::Split split = octavo::Dataset::open(argv[1]).training_split();
  for (const octavo::CompressionInfo& info : octavo::kCompressions) {
    if (!info.stays_compressed) continue;
    Bench bench(split, info.compression, static_cast<std::size_t>(mebibytes) << 20);
    bench.check();
    std::printf("%s: %s is %.2f times smaller than float32, with the size of each row; gathers with %s, %ld MiB\n",
                argv[1], info.name, bench.ratio_to_float32(), octavo::kernels::cpu::gather_target_name(), mebibytes);
    results.note(std::string("ratio_to_float32, ") + info.name, bench.ratio_to_float32());
    const int all = thread_count_of_process();
    for (const int threads : all == 1 ? std::vector{1} : std::vector{1, all}) {
      const auto measured = measure({bench.gather_plain(threads), bench.gather_coded(threads)}, rounds);
      results.section(std::string(info.name) + ", " + std::to_string(threads) +
                      (threads == 1 ? " thread" : " threads") + ", of the time of plain rows");
      for (const Measurement& one : measured) results.add_time(one, measured[0].median_seconds);
    }
    const auto alone = measure({bench.copy(), bench.decode(), bench.encode_all()}, rounds);
    results.section(std::string(info.name) + ", 1 thread, of memcpy");
    for (const Measurement& one : alone) results.add(one, alone[0].bytes_per_second());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_coded_rows: %s\n", error.what());
  return 1;
}
