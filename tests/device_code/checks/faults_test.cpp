// Every fault: a kernel that has it, in which it is found, and the nearest correct kernel, which has none.
#include "catch.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

constexpr Shape kOneThread{{1, 1, 1}, {1, 1, 1}};

std::string faults_of_one(std::string_view body) { return faults_in_all_orders(body, kOneThread); }

}  // namespace

TEST_CASE("an access that is not within one object is out of bounds", "[unit][device_code]") {
  // The buffers have 512 bytes.
  CHECK(faults_of_one("ld.global.u32 %r1, [%a+508];").empty());
  CHECK(faults_of_one("ld.global.u32 %r1, [%a+512];") == "access out of bounds");
  CHECK(faults_of_one("ld.global.u8 %r1, [%a+-1];") == "access out of bounds");
  CHECK(faults_of_one("st.global.v4.u32 [%a+496], {1, 2, 3, 4};").empty());
  CHECK(faults_of_one("st.global.v4.u32 [%a+512], {1, 2, 3, 4};") == "access out of bounds");
  CHECK(faults_of_one("atom.global.add.u64 %rd1, [%a+512], 1;") == "access out of bounds");
  CHECK(faults_of_one("mov.u64 %rd1, 0; ld.global.u32 %r1, [%rd1];") == "access out of bounds");
}

TEST_CASE("an access that begins in an object and ends beyond it is out of bounds", "[unit][device_code]") {
  TestProgram program("ld.global.u64 %rd1, [%b+8];");
  program.b = TestBuffer({1, 2, 3});
  program.run(kOneThread);
  CHECK(program.faults() == "access out of bounds");
}

TEST_CASE("shared, local and parameter memory have bounds too", "[unit][device_code]") {
  CHECK(faults_of_one(".shared .b32 words[4]; st.shared.u32 [words+12], 1;").empty());
  CHECK(faults_of_one(".shared .b32 words[4]; st.shared.u32 [words+16], 1;") == "access out of bounds");
  CHECK(faults_of_one(".shared .b32 words[4]; mov.u32 %r1, 0; ld.shared.u32 %r2, [%r1];") == "access out of bounds");
  CHECK(faults_of_one(".local .b32 words[4]; st.local.u32 [words+12], 1;").empty());
  CHECK(faults_of_one(".local .b32 words[4]; st.local.u32 [words+16], 1;") == "access out of bounds");
  CHECK(faults_of_one("ld.param.u64 %rd1, [test_a+16];").empty());
  CHECK(faults_of_one("ld.param.u64 %rd1, [test_a+24];") == "access out of bounds");
}

TEST_CASE("an address that is not a multiple of the bytes of the access is misaligned", "[unit][device_code]") {
  CHECK(faults_of_one("ld.global.u16 %rs1, [%a+2];").empty());
  CHECK(faults_of_one("ld.global.u16 %rs1, [%a+1];") == "misaligned access");
  CHECK(faults_of_one("ld.global.v2.u32 {%r1, %r2}, [%a+8];").empty());
  CHECK(faults_of_one("ld.global.v2.u32 {%r1, %r2}, [%a+4];") == "misaligned access");
  CHECK(faults_of_one(".shared .align 16 .b8 words[16]; st.shared.u32 [words+2], 1;") == "misaligned access");
  CHECK(faults_of_one(".local .align 16 .b8 words[16]; st.local.u64 [words+4], 1;") == "misaligned access");
}

TEST_CASE("an address of another memory than the instruction names is found", "[unit][device_code]") {
  const std::string shared = ".shared .b32 word; mov.u64 %rd1, word; cvta.shared.u64 %rd2, %rd1;";
  CHECK(faults_of_one(shared + "st.u32 [%rd2], 1;").empty());
  CHECK(faults_of_one(shared + "st.global.u32 [%rd2], 1;") == "address of another memory");
  CHECK(faults_of_one(shared + "st.shared.u32 [%rd2], 1;") == "address of another memory");
  CHECK(faults_of_one(shared + "cvta.to.shared.u64 %rd3, %rd2; st.shared.u32 [%rd3], 1;").empty());
  CHECK(faults_of_one("cvta.to.shared.u64 %rd3, %a;") == "address of another memory");
  const std::string local = ".local .b32 word; mov.u64 %rd1, word; cvta.local.u64 %rd2, %rd1;";
  CHECK(faults_of_one(local + "st.u32 [%rd2], 1;").empty());
  CHECK(faults_of_one(local + "st.local.u32 [%rd2], 1;") == "address of another memory");
  CHECK(faults_of_one("ld.local.u32 %r1, [%a];") == "access out of bounds");
}

TEST_CASE("a store to a parameter of the kernel is found", "[unit][device_code]") {
  const std::string address = "mov.b64 %rd1, test_c; cvta.param.u64 %rd2, %rd1;";
  CHECK(faults_of_one(address + "ld.u64 %rd3, [%rd2];").empty());
  CHECK(faults_of_one(address + "st.u64 [%rd2], 1;") == "store to a parameter");
}

TEST_CASE("a branch or guard on an undefined value is found", "[unit][device_code]") {
  CHECK(faults_of_one("setp.eq.u32 %p1, %lane, 0; @%p1 bra END; END: mov.u32 %r1, 0;").empty());
  CHECK(faults_of_one("@%p1 bra END; END: mov.u32 %r1, 0;") == "branch on an undefined value");
  CHECK(faults_of_one("@!%p1 mov.u32 %r1, 0;") == "branch on an undefined value");
  CHECK(faults_of_one("setp.lt.u32 %p1, %r5, 3; @%p1 ret;") == "branch on an undefined value");
}

TEST_CASE("an undefined address is found", "[unit][device_code]") {
  CHECK(faults_of_one("ld.global.u32 %r1, [%rd5];") == "undefined address");
  CHECK(faults_of_one("st.global.u32 [%rd5], 1;") == "undefined address");
  CHECK(faults_of_one("atom.global.add.u32 %r1, [%rd5], 1;") == "undefined address");
  CHECK(faults_of_one("and.b32 %r5, %r5, 0; mad.wide.u32 %rd5, %r5, 4, %a; st.global.u32 [%rd5], 1;").empty());
}

TEST_CASE("what a failed load gives is undefined", "[unit][device_code]") {
  CHECK(faults_of_one("ld.global.u32 %r1, [%a+512]; st.global.u32 [%a], %r1;") ==
        "access out of bounds, undefined value stored");
}

TEST_CASE("an undefined operand of an atomic or a shuffle is found", "[unit][device_code]") {
  CHECK(faults_of_one("atom.global.add.u32 %r1, [%a], %r5;") == "undefined operand");
  CHECK(faults_of_one("atom.global.cas.b32 %r1, [%a], 0, %r5;") == "undefined operand");
  CHECK(faults_of_one(".shared .b32 word; red.shared.add.u32 [word], 1;") == "undefined operand");
  CHECK(faults_of_one(".shared .b32 word; st.shared.u32 [word], 0; red.shared.add.u32 [word], 1;").empty());
  CHECK(faults_of_one("shfl.sync.idx.b32 %r1, %lane, %r5, 31, 1;").find("undefined operand") == 0);
  CHECK(faults_of("mov.u32 %r5, -1; bar.warp.sync %r5;").empty());
  CHECK(faults_of("bar.warp.sync %r5;").find("undefined operand") != std::string::npos);
}

TEST_CASE("an undefined value that is stored to global memory is found", "[unit][device_code]") {
  CHECK(faults_of_one("st.global.u32 [%a], %r5;") == "undefined value stored");
  CHECK(faults_of_one("mov.b32 %r5, {%rs1, %rs2}; st.global.u16 [%a], %r5;") == "undefined value stored");
  // Only the bits that are stored count.
  CHECK(faults_of_one("mov.u16 %rs1, 7; mov.b32 %r5, {%rs1, %rs2}; st.global.u16 [%a], %r5;").empty());
  CHECK(faults_of_one("st.global.v2.u32 [%a], {1, %r5};") == "undefined value stored");
}

TEST_CASE("threads of a warp that wait at different barriers are found", "[unit][device_code]") {
  const std::string half = "setp.lt.u32 %p1, %lane, 16;";
  CHECK(faults_in_all_orders("bar.sync 0;").empty());
  CHECK(faults_in_all_orders(half + "@%p1 bra LOW; bar.sync 0; bra END; LOW: bar.sync 0; END: mov.u32 %r1, 0;") ==
        "divergent barrier");
  CHECK(faults_in_all_orders(half + "@%p1 bra END; bar.sync 0; END: mov.u32 %r1, 0;") == "divergent barrier");
  CHECK(faults_in_all_orders(half + "@%p1 ret; bar.sync 0;") == "divergent barrier");
  // Whole warps may end early, or take another way.
  const Shape two_warps{{1, 1, 1}, {64, 1, 1}};
  const std::string warp = "mov.u32 %r1, %warpid; setp.eq.u32 %p1, %r1, 0;";
  CHECK(faults_in_all_orders(warp + "@%p1 ret; bar.sync 0;", two_warps).empty());
  CHECK(
      faults_in_all_orders(warp + "@%p1 bra LOW; bar.sync 0; bra END; LOW: bar.sync 0; END: mov.u32 %r1, 0;", two_warps)
          .empty());
}

TEST_CASE("lanes that wait for each other at different instructions are found", "[unit][device_code]") {
  const std::string half = "setp.lt.u32 %p1, %lane, 16;";
  const std::string ways = "@%p1 bra LOW; shfl.sync.idx.b32 %r1, %lane, 0, 31, -1; bra END; LOW: ";
  CHECK(faults_in_all_orders(half + ways + "shfl.sync.idx.b32 %r1, %lane, 0, 31, -1; END: mov.u32 %r2, 0;") ==
        "divergent warp barrier");
  CHECK(faults_in_all_orders(half + ways + "bar.warp.sync -1; END: mov.u32 %r2, 0;") == "divergent warp barrier");
  // Barriers of a warp at different places meet.
  CHECK(faults_in_all_orders(half +
                             "@%p1 bra LOW; bar.warp.sync -1; bra END; LOW: bar.warp.sync -1; END: mov.u32 %r2, 0;")
            .empty());
}

TEST_CASE("a shuffle that reads a lane that takes no part is found", "[unit][device_code]") {
  const std::string low = "setp.ge.u32 %p1, %lane, 16; @%p1 ret;";
  CHECK(faults_in_all_orders(low + "shfl.sync.idx.b32 %r1, %lane, 15, 31, 0xFFFF;").empty());
  CHECK(faults_in_all_orders(low + "shfl.sync.idx.b32 %r1, %lane, 16, 31, 0xFFFF;") == "shuffle from an absent lane");
  CHECK(faults_in_all_orders(low + "shfl.sync.down.b32 %r1, %lane, 1, 31, 0xFFFF;") == "shuffle from an absent lane");
  CHECK(faults_in_all_orders(low + "shfl.sync.down.b32 %r1, %lane, 1, 0x100F, 0xFFFF;").empty());
  const Shape part{{1, 1, 1}, {20, 1, 1}};
  CHECK(faults_in_all_orders("shfl.sync.bfly.b32 %r1, %lane, 16, 31, -1;", part) == "shuffle from an absent lane");
}

TEST_CASE("a lane that is not in its own mask is found", "[unit][device_code]") {
  const std::string low = "setp.ge.u32 %p1, %lane, 16; @%p1 ret;";
  CHECK(faults_in_all_orders(low + "bar.warp.sync 0xFFFF;").empty());
  CHECK(faults_in_all_orders(low + "bar.warp.sync 0x7FFF;").find("lane outside of its mask") != std::string::npos);
}

TEST_CASE("lanes that wait forever are found", "[unit][device_code]") {
  const std::string half = "setp.lt.u32 %p1, %lane, 16;";
  CHECK(faults_in_all_orders(half + "@%p1 bra LOW; bar.warp.sync -1; bra END; LOW: bar.sync 0; END: mov.u32 %r1, 0;") ==
        "deadlock");
  CHECK(faults_in_all_orders(half + "@%p1 bra LOW; bar.warp.sync 0xFFFF0000; LOW: bar.sync 0;").empty());
}

TEST_CASE("the machine runs another kernel after a deadlock", "[unit][device_code]") {
  TestProgram program("setp.lt.u32 %p1, %lane, 16; @%p1 bra LOW; bar.warp.sync -1; LOW: bar.sync 0;");
  program.run();
  CHECK(program.faults() == "deadlock");
  program.machine.findings.clear();
  program.run();
  CHECK(program.faults() == "deadlock");
}

TEST_CASE("a block of more threads than the kernel allows is found", "[unit][device_code]") {
  const std::string text =
      ".version 8.3\n.target sm_80\n.visible .entry limited()\n.maxntid 8, 4, 1\n.minnctapersm 2\n{\nret;\n}\n";
  const auto module = parse_module(text, "limited.ptx");
  TestProgram program("");
  program.machine.launch(*module->find("limited"), {1, 1, 1}, {32, 1, 1}, {});
  CHECK(program.faults().empty());
  program.machine.launch(*module->find("limited"), {1, 1, 1}, {33, 1, 1}, {});
  CHECK(program.faults() == "block larger than .maxntid");
}

TEST_CASE("a division by zero is found", "[unit][device_code]") {
  CHECK(faults_of("add.u32 %r1, %lane, 1; div.u32 %r2, %lane, %r1; rem.u32 %r2, %lane, %r1;").empty());
  CHECK(faults_of("div.u32 %r2, 7, %lane;") == "division by zero");
  CHECK(faults_of("rem.s32 %r2, 7, %lane;") == "division by zero");
  // The complement of all ones is zero.
  CHECK(faults_of("mov.u32 %r1, 0xFFFFFFFF; xor.b32 %r1, %r1, -1; div.u32 %r2, 7, %r1;") == "division by zero");
  CHECK(faults_of("div.rn.f32 %f1, 0f3F800000, 0f00000000;").empty());
}

TEST_CASE("a conversion of a float that does not fit the integer is found", "[unit][device_code]") {
  const auto faults = [](const std::string& type, float value) {
    return computed_by("cvt." + type + ".f32 %r0, %f1", {bits(value)}).faults;
  };
  CHECK(faults("rzi.s32", 2147483520.0f).empty());
  CHECK(faults("rzi.s32", 2147483648.0f) == "conversion out of range");
  CHECK(faults("rzi.s32", -2147483648.0f).empty());
  CHECK(faults("rzi.u32", -0.5f).empty());
  CHECK(faults("rmi.u32", -0.5f) == "conversion out of range");
  CHECK(faults("rzi.u8", 255.5f).empty());
  CHECK(faults("rni.u8", 255.5f) == "conversion out of range");
}

TEST_CASE("a trap is found", "[unit][device_code]") {
  CHECK(faults_of("setp.gt.u32 %p1, %lane, 31; @%p1 trap;").empty());
  CHECK(faults_of("setp.gt.u32 %p1, %lane, 30; @%p1 trap;") == "trap");
}

TEST_CASE("a finding names the fault, the source, the kernel and a thread, and counts", "[unit][device_code]") {
  TestProgram program(".loc 1 12 3\nsetp.gt.u32 %p1, %lane, 29;\n.loc 1 13 3\n@%p1 st.global.u32 [%a+512], 1;");
  program.run({{1, 2, 1}, {32, 1, 1}});
  REQUIRE(program.machine.findings.all().size() == 1);
  const Finding& finding = program.machine.findings.all()[0];
  CHECK(finding.fault == Fault::out_of_bounds);
  CHECK(finding.kernel == "test");
  CHECK(finding.source == "test.cu:13");
  CHECK(finding.count == 4);
  CHECK_THAT(finding.example,
             ContainsSubstring("@%p1 st.global.u32 [%a+512], 1: block (0, 0, 0), thread 30, 4 bytes at "));
  CHECK(program.machine.findings.count(Fault::out_of_bounds) == 4);
  CHECK(program.machine.findings.count(Fault::misaligned) == 0);
  CHECK_THAT(program.machine.findings.text(),
             ContainsSubstring("access out of bounds at test.cu:13 in test, 4 times; "));
  program.machine.findings.clear();
  CHECK(program.machine.findings.text().empty());
}

TEST_CASE("a kernel's C++ name is shown", "[unit][device_code]") {
  CHECK(demangled("_Z6gatherIfEvPT_") == "void gather<float>(float*)");
  CHECK(demangled("test") == "test");
}
