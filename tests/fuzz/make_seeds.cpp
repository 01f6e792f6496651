// fuzz_make_seeds FOLDER: writes the seeds of tests/fuzz/corpus, a small valid file of each kind that a target reads.
#include <octavo/writer.hpp>

#include <cstdlib>
#include <map>
#include <string>

#include "dataset_file/small_file.hpp"
#include "deflated.hpp"
#include "format/coded_rows/lp8_codec.hpp"
#include "images/made_images.hpp"
#include "images/made_tiff.hpp"
#include "sources/made_files.hpp"
#include "sources/made_mat.hpp"
#include "temporary_folder.hpp"

#if __has_include(<archive.h>)
#include "sources/made_archive.hpp"
#endif
#if __has_include(<webp/encode.h>)
#include <webp/encode.h>
#endif

using namespace octavo;
using namespace octavo::test;
using namespace std::string_literals;

namespace {

/// Seeds by "target/name".
using Seeds = std::map<std::string, std::string>;

std::string little(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

std::string text_of(const std::filesystem::path& path) {
  const auto bytes = bytes_of_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// ---- Rows -------------------------------------------------------------------

void add_rows(Seeds& seeds) {
  for (const SampleShape& shape : {SampleShape{1, 8, 8}, SampleShape{3, 34, 20}, SampleShape{4, 5, 3}}) {
    std::vector<std::byte> codes;
    for (std::int64_t i = 0; i < shape.values(); ++i)
      codes.push_back(static_cast<std::byte>(i % shape.width * 3 + i % 5));
    std::vector<std::byte> row;
    dataset_file::make_lp8_encoder(shape)->encode(codes, row);
    std::string seed;
    for (const std::int64_t axis : {shape.channels, shape.height, shape.width}) seed += static_cast<char>(axis - 1);
    seed.append(reinterpret_cast<const char*>(row.data()), row.size());
    seeds["lp8_row/" + std::to_string(shape.channels) + "_channels"] = seed;
  }
}

// ---- Arrays -----------------------------------------------------------------

void add_arrays(Seeds& seeds) {
  const std::string images = idx({3, 2, 2}, counting(12));
  seeds["idx/images"] = images;
  seeds["idx/labels"] = idx({3}, counting(3));
  seeds["idx/int16"] = "\0\0\x0B\2"s + big_endian(2) + big_endian(2) + counting(8);
  seeds["idx_gzip/images"] = gzipped(images);
  seeds["inflated_stream/gzip"] = '\0' + gzipped(images);
  seeds["inflated_stream/two_members"] = '\0' + gzipped(images) + gzipped("more");
  seeds["inflated_stream/zlib"] = "\1\0"s + zlib_stream(images);
  seeds["cifar_binary/cifar10"] = cifar_record("\3", 1, 2, 3);
  seeds["cifar_binary/cifar100"] = cifar_record("\3\x20", 1, 2, 3);
  seeds["npy/uint8"] = npy("|u1", "2, 2, 2, 3", counting(24));
  seeds["npy/fortran"] = npy("<f4", "2, 3, 2", counting(48), true);
  seeds["npy/big_endian"] = npy(">i8", "3,", counting(24));
  seeds["npy/text"] = npy_texts({"cat", "a dog"});
  seeds["npy/bytes"] = npy("|S3", "2, 1", "catdog");
  const std::string records = "{'descr': [('a', '<i4'), ('b', '|O', (2,))], 'fortran_order': False, 'shape': (1,)}";
  seeds["npy/records"] = "\x93NUMPY\x01\0"s + little(records.size(), 2) + records;
  const std::string x = mat_variable("X", {2, 1, 3, 2}, counting(12));
  const std::string y = mat_variable("y", {2, 1}, {10, 3});
  seeds["mat/plain"] = mat_file(x + y);
  const std::string packed = zlib_stream(x);
  seeds["mat/text"] = mat_file(mat_chars("class_names", {"cat", "ox"}) + mat_variable("s", {1, 1}, "a", 2) +
                               mat_variable("y", {1, 3}, counting(3, 1), 9 | 0x0200));
  seeds["mat/deflated"] = mat_file(little(15, 4) + little(packed.size(), 4) + packed);
}

// ---- Lists ------------------------------------------------------------------

void add_lists(Seeds& seeds) {
  seeds["image_table/csv"] = "\0file_name,label,split\na.png,cat,train\nb,\"dog\",test\n"s;
  seeds["image_table/tsv"] = "\1path\ttarget\na\t0.5\nc\t1\n"s;
  seeds["image_table/json_lines"] =
      "\2{\"image\": \"a.png\", \"label\": [0, 1]}\n{\"image\": \"b.jpg\", \"label\": [1, 1]}\n"s;
  seeds["image_table/json_array"] =
      "\3[{\"image\": \"a.png\", \"label\": 1},\n {\"image\": \"b.jpg\", \"label\": 0}]\n"s;
  seeds["image_table/columns"] = "\0id,one,two\na,0,1\nb,1,0\n"s;
  seeds["export_index/classes"] =
      R"({"format": "octavo-export", "version": 1, "classes": ["cat", "dog"],
 "splits": {"train": [{"file": "0/a.png", "label": 1}, {"file": "b.png", "label": 0}]}})";
  seeds["export_index/targets"] =
      R"({"format": "octavo-export", "splits": {"val": [{"file": "a.png", "label": [0.5, 1]}]}})";
  seeds["name_list/names"] = "cat\n dog \xC3\xA4\r\n\n";
  seeds["numbered_paths/shards"] = "/nowhere/shard-{000..012}.tar";
  seeds["web_dataset/classes"] =
      "a.jpg\n\xFF"
      "a.cls\n3\xFF"
      "b.png\n\xFF"
      "b.cls\n4";
  seeds["web_dataset/metadata"] =
      "cat/a.jpg\n\xFF"
      "cat/a.json\n{\"width\": 3}\xFF"
      "dog/b.jpg\n\xFF"
      "dog/b.json\n{\"label\": 1}";
  seeds["web_dataset/json"] = "x/a.jpg\n\xFFx/a.json\n{\"label\": \"cat\"}\xFFx/b.jpg\n\xFFx/b.cls\ndog";
}

// ---- Images -----------------------------------------------------------------

std::string bmp(int bits, int coding, const std::string& palette, const std::string& data) {
  const std::string head = little(40, 4) + little(2, 4) + little(2, 4) + little(1, 2) +
                           little(static_cast<std::uint64_t>(bits), 2) + little(static_cast<std::uint64_t>(coding), 4) +
                           std::string(12, '\0') + little(palette.size() / 4, 4) + little(0, 4) + palette;
  return "BM" + little(14 + head.size() + data.size(), 4) + little(0, 4) + little(14 + head.size(), 4) + head + data;
}

/// A GIF of two pixels with a palette of four colors, interlaced or not.
std::string gif(bool is_interlaced) {
  const std::string colors = counting(12, 40);
  return "GIF89a" + little(2, 2) + little(1, 2) + "\x81\0\0"s + colors + "!\xF9\x04\x01\0\0\2\0"s + "," + little(0, 4) +
         little(2, 2) + little(1, 2) + (is_interlaced ? "\x40"s : "\0"s) + "\2\2\x0C\x0A\0;"s;
}

std::vector<std::uint8_t> counted(std::size_t count) {
  std::vector<std::uint8_t> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<std::uint8_t>(i * 7));
  return values;
}

#if __has_include(<webp/encode.h>)
std::string taken(std::uint8_t* bytes, std::size_t count) {
  const std::string file(reinterpret_cast<const char*>(bytes), count);
  WebPFree(bytes);
  return file;
}

void add_webp(Seeds& seeds) {
  const auto values = counted(8 * 8 * 4);
  std::uint8_t* bytes = nullptr;
  std::size_t count = WebPEncodeLosslessRGBA(values.data(), 8, 8, 32, &bytes);
  const std::string lossless = taken(bytes, count);
  count = WebPEncodeRGBA(values.data(), 8, 8, 32, 50, &bytes);
  seeds["decode_webp/lossless"] = lossless;
  seeds["decode_webp/lossy_alpha"] = taken(bytes, count);
  const std::string canvas = "VP8X" + little(10, 4) + little(2, 4) + little(7, 3) + little(7, 3);
  const std::string frame =
      little(0, 6) + little(7, 3) + little(7, 3) + little(10, 3) + little(0, 1) + lossless.substr(12);
  const std::string chunks = "WEBP" + canvas + "ANMF" + little(frame.size(), 4) + frame;
  seeds["decode_webp/animated"] = "RIFF" + little(chunks.size(), 4) + chunks;
}
#else
void add_webp(Seeds&) {}
#endif

void add_tiff(Seeds& seeds) {
  const std::string block = counting(32);
  const MadeTiff gray = {.width = 8, .height = 4, .blocks = {block.substr(0, 16), block.substr(16)}};
  MadeTiff strips = gray;
  strips.tags[278] = {2};
  seeds["decode_tiff/strips"] = made_tiff(strips);
  strips.is_big_endian = strips.is_big_tiff = true;
  seeds["decode_tiff/big"] = made_tiff(strips);
  seeds["decode_tiff/deflate"] =
      made_tiff({.width = 8, .height = 4, .tags = {{259, {8}}, {317, {2}}}, .blocks = {zlib_stream(block)}});
  seeds["decode_tiff/pack_bits"] =
      made_tiff({.width = 8, .height = 2, .tags = {{259, {32773}}}, .blocks = {"\xF9\x05\xF9\x06"s}});
  const std::string packet = xmp_packet(6);
  seeds["decode_tiff/bands"] = made_tiff({.width = 4,
                                          .height = 2,
                                          .samples = 4,
                                          .tags = {{338, {0, 0, 2}}, {700, {packet.begin(), packet.end()}}},
                                          .blocks = {block}});
  seeds["decode_tiff/deep_bands_in_planes"] = made_tiff(
      {.width = 4, .samples = 2, .bits = 16, .tags = {{284, {2}}}, .blocks = {block.substr(0, 8), block.substr(8, 8)}});
  seeds["decode_tiff/pages"] = with_directory(with_directory(made_tiff({.blocks = {"x"}}), 1), 2);
  seeds["decode_tiff/tiles_rgb"] = made_tiff({.width = 20,
                                              .height = 16,
                                              .samples = 3,
                                              .color_model = 2,
                                              .tags = {{322, {16}}, {323, {16}}},
                                              .blocks = {std::string(768, 'a'), std::string(768, 'b')}});
}

void add_images(Seeds& seeds) {
  seeds["decode_jpeg/gray"] = made_jpeg(two_halves(10, 200));
  MadeJpeg color = {.width = 17,
                    .height = 9,
                    .components = 3,
                    .is_progressive = true,
                    .orientation = 6,
                    .values = counted(17 * 9 * 3)};
  seeds["decode_jpeg/progressive"] = made_jpeg(color);
  MadeJpeg inks = flat({1, 2, 3, 4});
  inks.with_adobe_marker = true;
  seeds["decode_jpeg/inks"] = made_jpeg(inks);
  const std::string flat_jpeg = made_jpeg(flat({100}));
  const std::string xmp = xmp_mark() + xmp_packet(8);
  seeds["decode_jpeg/exif_and_xmp"] = with_app1(with_app1(with_app1(flat_jpeg, xmp), exif_block(6)), exif_block(1));
  seeds["decode_jpeg/xmp"] = with_app1(flat_jpeg, xmp);
  std::string odd_scan = flat_jpeg;
  odd_scan[odd_scan.find("\xFF\xDA") + 8] = 0;
  seeds["decode_jpeg/odd_scan_header"] = odd_scan;
  const std::string dots = made_png({.width = 2, .rows = {1, 2}});
  seeds["decode_png/exif_and_xmp"] = with_png_chunk(with_png_chunk(dots, "eXIf", exif_block(6).substr(6)), "iTXt",
                                                    "XML:com.adobe.xmp\0\0\0\0\0"s + xmp_packet(3));
  seeds["decode_png/frames"] = with_png_chunk(dots, "acTL", big_endian(2) + big_endian(0));
  seeds["decode_png/gray"] = made_png({.width = 5, .height = 3, .rows = counted(15)});
  seeds["decode_png/rgba_16"] = made_png({.width = 3,
                                          .height = 3,
                                          .color_type = PNG_COLOR_TYPE_RGB_ALPHA,
                                          .depth = 16,
                                          .is_interlaced = true,
                                          .rows = counted(72)});
  seeds["decode_png/palette"] = made_png({.width = 4,
                                          .height = 2,
                                          .color_type = PNG_COLOR_TYPE_PALETTE,
                                          .depth = 2,
                                          .palette = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {250, 0, 5}},
                                          .palette_alpha = {0, 128},
                                          .rows = {0x1B, 0xE4}});
  seeds["decode_bmp/rgb"] = bmp(24, 0, "", counting(16));
  seeds["decode_bmp/run_length_8"] = bmp(8, 1, counting(16), "\2\1\0\0\0\2\1\2\0\1"s);
  seeds["decode_bmp/run_length_4"] = bmp(4, 2, counting(16), "\2\x12\0\0\0\2\x11\0\0\1"s);
  seeds["decode_bmp/masks"] = bmp(16, 3, "\0\xF8\0\0\xE0\7\0\0\x1F\0\0\0"s, counting(8));
  seeds["decode_gif/plain"] = gif(false);
  seeds["decode_gif/interlaced"] = gif(true);
  seeds["decode_pnm/p1"] = "P1\n# plain\n3 2\n010 111";
  seeds["decode_pnm/p3"] = "P3 2 1 9 1 2 3 9 8 7";
  seeds["decode_pnm/p4"] = "P4 3 2\n\xA0\x40";
  seeds["decode_pnm/p6_16"] = "P6 1 2 65535\n" + counting(12);
  seeds["decode_pnm/p7"] = "P7\nWIDTH 1\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" + counting(8);
  seeds["decode_pnm/p7_bands"] = "P7\nWIDTH 1\nHEIGHT 2\nDEPTH 5\nMAXVAL 300\nTUPLTYPE a b\nENDHDR\n" + counting(20);
  seeds["decode_pnm/comment"] = "P5 2 1 255 # comment\r\nab";
  seeds["exif_orientation/big_endian"] = exif_block(6);
  seeds["xmp_orientation/attribute"] = xmp_packet(6);
  seeds["xmp_orientation/element"] = "<tiff:Orientation>8</tiff:Orientation>";
  add_webp(seeds);
  add_tiff(seeds);
}

/// One image of each format, for the targets that accept all formats.
void add_all_formats(Seeds& seeds) {
  for (const char* name : {"decode_jpeg/progressive", "decode_png/palette", "decode_webp/lossless",
                           "decode_tiff/strips", "decode_gif/plain", "decode_bmp/rgb", "decode_pnm/p7"}) {
    const auto found = seeds.find(name);
    if (found == seeds.end()) continue;
    const std::string format = found->first.substr(7, found->first.find('/') - 7);
    const std::string bytes = found->second;
    seeds["image_header/" + format] = bytes;
    seeds["image_sample/" + format] = static_cast<char>(33 + std::ssize(seeds)) + bytes;
  }
  for (const char* name : {"bands", "deep_bands_in_planes"}) {
    const std::string bytes = seeds.at("decode_tiff/"s + name);
    seeds["image_header/"s + name] = bytes;
    seeds["image_sample/"s + name] = '\x63' + bytes;
  }
  seeds["image_header/exif_and_xmp"] = seeds.at("decode_jpeg/exif_and_xmp");
}

// ---- Archives and dataset files ----------------------------------------------

#if __has_include(<archive.h>)
/// Links to files and folders, before and after their targets, through each other, to nowhere and in a loop.
void add_linked_archives(Seeds& seeds) {
  const TemporaryFolder folder;
  std::vector<MadeEntry> entries = {{"cat/a", "first"},
                                    {"cat/l", "../dog", MadeLink::symbolic},
                                    {"owl", "cat/l/..", MadeLink::symbolic},
                                    {"cat/up", "../../x", MadeLink::symbolic},
                                    {"loop", "loop", MadeLink::symbolic},
                                    {"dog/b", "second"},
                                    {"owl/c", "third"}};
  write_entries(folder / "zip", ArchiveKind::zip, entries);
  seeds["archive_tree/links_zip"] = text_of(folder / "zip");
  entries.insert(entries.begin(), {{"cat/", ""}, {"cat/late", "dog/b", MadeLink::hard}});
  entries.push_back({"cat/b", "cat/a", MadeLink::hard});
  write_entries(folder / "tar", ArchiveKind::tar, entries);
  const std::string tar = text_of(folder / "tar");
  // Less padding: up to the last block, and two blocks of zeros.
  seeds["archive_tree/links_tar"] = tar.substr(0, tar.find_last_not_of('\0') / 512 * 512 + 3 * 512);
}

void add_archives(Seeds& seeds) {
  const TemporaryFolder folder;
  const auto archived = [&](ArchiveKind kind, const std::vector<std::pair<std::string, std::string>>& files) {
    write_archive(folder / "archive", kind, files);
    return text_of(folder / "archive");
  };
  const std::vector<std::pair<std::string, std::string>> files = {{"cat/a.txt", "first"},
                                                                  {"dog/b.gz", gzipped("second")}};
  seeds["archive_tree/tar"] = archived(ArchiveKind::tar, files).substr(0, 4 * 512 + 1024);
  seeds["archive_tree/tar_gz"] = archived(ArchiveKind::tar_gz, files);
  seeds["archive_tree/zip"] = archived(ArchiveKind::zip, files);
  add_linked_archives(seeds);
  seeds["archive_tree/two_tars"] = seeds["archive_tree/tar"] + seeds["archive_tree/links_tar"] + std::string(700, 'x');
  seeds["archive_tree/two_tars_gz"] =
      gzipped(seeds["archive_tree/tar"]) + gzipped(seeds["archive_tree/links_tar"]) + "more";
  std::string encrypted = seeds["archive_tree/zip"];
  encrypted[6] |= 1;  // the flags of the first file
  encrypted[encrypted.find("PK\1\2") + 8] |= 1;
  seeds["archive_tree/encrypted_zip"] = encrypted;
  seeds["npz/deflated"] = archived(ArchiveKind::zip, {{"x_train.npy", npy("|u1", "2, 2, 2", counting(8))},
                                                      {"y_train.npy", npy("<i8", "2,", std::string(16, '\0'))}});
  seeds["npz/text"] = archived(ArchiveKind::zip, {{"images.npy", npy("|u1", "2, 2, 2", counting(8))},
                                                  {"labels.npy", npy_texts({"cat", "dog"})},
                                                  {"class_names.npy", npy("|S3", "2,", "catdog")},
                                                  {"files.npy", npy("|O", "2,", "")}});
}
#else
void add_archives(Seeds&) {}
#endif

/// Three samples, which shrink if they are large enough for it.
std::string packed_file(Compression compression, const SampleShape& shape = {1, 2, 3}, bool has_masks = false) {
  const TemporaryFolder folder;
  WriterOptions options;
  options.splits = {{.name = "train",
                     .shape = shape,
                     .labels = {LabelKind::class_index, 1},
                     .row_capacity = 3,
                     .with_names = true,
                     .has_masks = has_masks}};
  options.class_names = {"cat", "dog", "eel"};
  options.reproducible = true;
  options.compression = compression;
  {
    Writer writer(folder / "file", options);
    std::vector<std::uint8_t> values(static_cast<std::size_t>(3 * shape.values()));
    std::vector<std::uint8_t> masks(has_masks ? values.size() / static_cast<std::size_t>(shape.channels) : 0);
    const std::vector<std::string> names = {"a", "b", "c"};
    const auto labels = classes_of(0, 3);
    writer.write(0, 0, values, std::as_bytes(std::span(labels)), names, masks);
    writer.finish("{}");
  }
  return text_of(folder / "file");
}

void add_packed(Seeds& seeds) {
  seeds["dataset/plain"] = packed_file(Compression::none);
  seeds["dataset/deflate"] = packed_file(Compression::deflate);
  seeds["dataset/lp8"] = packed_file(Compression::lp8, {3, 8, 16}, true);
  for (const char* kind : {"plain", "deflate", "lp8"}) {
    const std::string& file = seeds.at("dataset/"s + kind);
    std::uint64_t words[2];
    std::memcpy(words, file.data() + 24, sizeof words);
    seeds["index_json/"s + kind] = file.substr(words[0], words[1]);
  }
  seeds["augmentation/flip_and_crop"] = "\2\17\17\1\0\0\0\0\200\3\4\2\0\0\0"s;
  seeds["augmentation/resize_and_colors"] =
      "\2\17\17\1\1\1\0\5\10\10\100\200\0\100\200\0\1\12\30\60\0\30\60\0\30\60\0\20\60\0\371"s;
  seeds["augmentation/warp_and_mix"] =
      "\2\17\17\1\0\0\1\100\100\200\371\1\1\3\20\11\20\200\0\40\40\40\100\0\100\200\0\100\200\0\1\0\0\371\25\1\0\0"s;
  seeds["chunk_codec/table"] = "\0\2"s + little(4096, 8) + little(15, 8) + little(0, 8) + little(7, 8);
  seeds["chunk_codec/chunk"] = "\1\2"s + zlib_stream(counting(16));
}

/// Seeds of the target `source`; the first byte selects the file name.
void add_sources(Seeds& seeds) {
  const std::map<char, const char*> files = {
      {0, "idx/images"}, {1, "cifar_binary/cifar10"}, {2, "npy/uint8"},       {3, "npz/deflated"},
      {4, "mat/plain"},  {7, "archive_tree/tar"},     {8, "decode_png/gray"}, {9, "idx_gzip/images"}};
  for (const auto& [number, name] : files) {
    const auto found = seeds.find(name);
    if (found == seeds.end()) continue;
    const std::string target = found->first.substr(0, found->first.find('/'));
    const std::string bytes = found->second;
    seeds["source/" + target] = number + bytes;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  Seeds seeds;
  add_rows(seeds);
  add_arrays(seeds);
  add_lists(seeds);
  add_images(seeds);
  add_all_formats(seeds);
  add_archives(seeds);
  add_packed(seeds);
  add_sources(seeds);
  for (const auto& [name, bytes] : seeds) write_file(std::filesystem::path(arguments[1]) / name, bytes);
  return 0;
}
