#!/usr/bin/env python3
"""Checks the code that the CUDA compiler generates for the kernels: registers and spills from the compiler's report;
loads in flight, access widths and issue slots from the machine code.

cuda_code_test.py PTXAS PTX_FOLDER [--markdown FILE] ARCHITECTURE...

The PTX of an architecture is in PTX_FOLDER/ARCHITECTURE; the target octavo_ptx compiles the kernels to it. Prints a
table of every kernel that moves a batch, one row per variant. Fails if a kernel cannot keep up with the memory of a
typical device of its architecture. Decodes the cubin itself, because not every toolkit has a disassembler. For
architectures below 8.0, only registers and spills are checked. Each architecture takes a minute: CI checks two of them,
and tools/soak.sh all.
"""
import argparse
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

# A multiprocessor has 65,536 registers, so with 64 registers 1,024 threads stay resident; with 96, 640; with 128, 512.
# Gathers that resize compute more for each byte, and need fewer threads to hide the memory's latency. So do masks, which
# follow the steps of their image for each byte. Three planes of any width have more loads in flight instead of threads.
# The keys are regular expressions; the first one counts.
MOST_REGISTERS = {"(gather|sum)_decoded": 120, "gather_channels": 96, "gather_augmented": 128,
                  "gather_made_images": 128, "gather_masks.*PlainRows": 96, "gather_masks": 112,
                  "gather_movedI.*Li3ELb0ELb[01]ELb1E": 112, "gather_moved": 80, "gather_resized": 80,
                  "find_needed_parts": 96}

# Of a lane that decodes coded rows, for each value: the maximum number of instructions, by the codec and the planes of a
# unit. With three planes, a warp has work for 30 (LP8) or 24 lanes (LC8).
MOST_DECODING = {("lp8", 3): 15.0, ("lp8", 1): 13.4, ("lc8", 3): 35.9, ("lc8", 1): 33.5}


class Device:
    """A typical device of an architecture: bytes in flight that its memory needs, and issue slots left to compute."""

    def __init__(self, name, multiprocessors, ghz, bytes_per_second, latency, shared_bytes, most_threads):
        self.name, self.shared_bytes, self.most_threads = name, shared_bytes, most_threads
        # Little's law: bytes in flight per multiprocessor, reads plus writes.
        # H200: 4.3e12 * 0.7e-6 / 132 = 22.8 KB. Codes are 1/5 with float32 (4.6 KB), 1/3 with half types (7.6 KB).
        self.bytes_needed = bytes_per_second * latency / multiprocessors
        # Issue slots, counted per lane (4 schedulers of 32 lanes), in the time that moving a byte takes.
        # H200: 132 * 4 * 32 * 1.755e9 / 4.3e12 = 6.9, so 34 per float32 value (5 bytes), 21 per half value (3 bytes).
        self.slots_per_byte = multiprocessors * 4 * 32 * ghz * 1e9 / bytes_per_second


# Bandwidths are those of a copy, about nine tenths of the peak. Latencies under load are assumed as 0.6 to 0.8 us.
DEVICES = {
    "80": Device("A100 80GB", 108, 1.41, 1.8e12, 0.6e-6, 164 << 10, 2048),
    "90": Device("H200", 132, 1.755, 4.3e12, 0.7e-6, 228 << 10, 2048),
    "120": Device("RTX 5090", 170, 2.41, 1.6e12, 0.8e-6, 100 << 10, 1536),
}

# Instructions have 128 bits from compute capability 7.5 on. These are opcodes, the low 9 bits.
LOAD, STORE, BRANCH = 0x181, 0x186, 0x147
WIDTHS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 8, 6: 16}  # size field of loads and stores -> bytes


class Instruction:
    def __init__(self, index, low, high, architecture):
        self.index = index
        self.opcode = low & 0x1FF
        self.is_predicated = (low >> 12 & 0xF) != 7
        self.width = WIDTHS.get(high >> 9 & 7)
        # Codes are read by ld.global.nc, everything else by plain loads. Single bytes are those at the edges of samples.
        self.is_code_load = self.opcode == LOAD and high >> 15 & 1 == 1 and self.width > 1
        self.barrier_set = high >> 46 & 7  # barrier that a load opens when its data arrive; 7: none
        self.barriers_awaited = high >> 52 & 0x3F
        self.target = None
        if self.opcode == BRANCH:
            self.target = index + 1 + self._branch_bytes(low, high, architecture) // 16

    @staticmethod
    def _branch_bytes(low, high, architecture):
        """The distance from the next instruction to the target, in bytes."""
        if int(architecture) < 90:
            offset, bits = low >> 32 | (high & 0x3FFFF) << 32, 50
        else:
            offset, bits = (low >> 16 & 0xFF | (low >> 34 | (high & 0x3FFFF) << 30) << 8) << 2, 58
        return offset - (1 << bits) if offset >> (bits - 1) else offset


def decode(cubin, architecture):
    """The instructions of each kernel and its shared memory in bytes."""
    data = cubin.read_bytes()
    section_table, = struct.unpack_from("<Q", data, 40)
    section_count, names_section = struct.unpack_from("<HH", data, 60)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, section_table + 64 * i) for i in range(section_count)]
    names = sections[names_section][4]
    kernels, shared = {}, {}
    for section in sections:
        start = names + section[0]
        name = data[start:data.index(b"\0", start)].decode()
        if name.startswith(".text."):
            words = struct.iter_unpack("<QQ", data[section[4]:section[4] + section[5]])
            kernels[name[6:]] = [Instruction(i, low, high, architecture) for i, (low, high) in enumerate(words)]
        elif name.startswith(".nv.shared."):
            shared[name[11:]] = section[5]
    return {name: dict(code=code, shared=shared.get(name, 0)) for name, code in kernels.items()}


def assemble(ptxas, source, architecture, output):
    """Decodes the machine code of each kernel, and adds registers and spilled bytes from the assembler's report."""
    cubin = output / f"{source.stem}-{architecture}.cubin"
    command = [ptxas, "-O3", "--verbose", f"-arch=sm_{architecture}", "-o", str(cubin), str(source)]
    report = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    pattern = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads.*?"
                         r"Used (\d+) registers", re.S)
    kernels = decode(cubin, architecture)
    for name, stores, loads, registers in pattern.findall(report):
        kernels[name].update(registers=int(registers), spilled=int(stores) + int(loads))
    return [dict(kernel, name=name, architecture=architecture) for name, kernel in kernels.items()]


class Variant:
    """The properties of a kernel, from its mangled name: layout, value type, bytes per value, access widths."""
    TYPES = {"f": ("float32", 4), "NS0_7Float16E": ("float16", 2), "NS0_8BFloat16E": ("bfloat16", 2)}
    FAMILIES = {
        # name: layout, threads per block, used share of the loaded bytes, maximum issue slots relative to the memory's
        # time, whether the loads of a step are issued before the stores of the previous step. Unaligned words are
        # assembled from two loads. With half types on the fastest memory, their addresses, masks and maps take 1.1
        # times the memory's time. gather_channels handles any other number of channels: it looks up a map and scatters
        # a byte for each value, and waits for the maps and the next codes at the same time.
        "gather_planes": ("in order", 256, 1, 0.5, True),
        "gather_pixels": ("interleaved", 256, 1, 0.5, True),
        "gather_unaligned_pixels": ("interleaved", 256, 0.5, 1.1, True),
        "gather_unaligned_planes": ("in order", 256, 0.5, 1.1, True),
        "gather_channels": ("interleaved", 64, 0.5, 2.1, False),
        # Flips and crops assemble words from two loads, too, and look up where they are. If lines have any width, words
        # also begin at other columns in each line, are joined, and may be at the edges of samples.
        "gather_moved": ("in order", 256, 0.5, 0.85, True),
        "copy_rows": ("rows", 256, 1, 0.5, False),
        "sum_codes": ("sums", 256, 1, 0.5, False),
    }

    def __init__(self, mangled):
        found = re.search(r"\d(" + "|".join(self.FAMILIES) + r")(?:I(f|NS0_\d+B?Float16E)?((?:L(?:[ib]|NS\d*_6MapsByE)\d+E)*)E)?", mangled)
        self.family = found and found[1]
        if not self.family:
            return
        self.layout, self.block_threads, self.used, self.most_slots, self.is_pipelined = self.FAMILIES[self.family]
        self.type, self.value_bytes = self.TYPES.get(found[2], ("float32", 4))
        numbers = [int(n) for n in re.findall(r"L(?:[ib]|NS\d*_6MapsByE)(\d+)E", found[3] or "")]
        self.store_width, self.loaded_bytes, self.maps = 16, 1, "any"
        if self.family == "gather_planes":
            self.store_width = numbers[0] * self.value_bytes
            self.maps = "pixel" if numbers[1] else "channel"
        elif self.family in ("gather_pixels", "gather_unaligned_pixels"):
            self.layout += f", C = {numbers[0]}"
            self.maps = "pixel" if numbers[1] else "channel"
        elif self.family == "gather_unaligned_planes":
            self.maps = ("uniform", "channel", "pixel")[numbers[0]]
        elif self.family == "gather_moved":
            self.store_width = 4 * self.value_bytes
            channels, is_interleaved, erases_values, is_any_width = numbers
            self.layout = (f"interleaved, C = {channels}" if is_interleaved else
                           "in order" if channels == 1 else f"in order, C = {channels}")
            self.maps = ("erased" if erases_values else "any") + (", any width" if is_any_width else "")
            if is_any_width:
                self.most_slots = 1.5 if channels == 1 else 1.2
        elif self.family == "copy_rows":
            self.store_width, self.loaded_bytes, self.maps = numbers[0], 4, "none"
        elif self.family == "sum_codes":
            self.store_width, self.value_bytes, self.type, self.maps = None, 0, "int8", "none"

    def bytes_per_value(self):
        return self.loaded_bytes + self.value_bytes

    def read_share(self):
        return self.loaded_bytes / self.bytes_per_value()


def is_store(instruction, variant):
    """Whether the instruction stores values. Other stores, such as labels, are narrower or not in the loop."""
    return instruction.opcode == STORE and instruction.width == variant.store_width


def main_loop(code, variant):
    """The smallest loop that loads codes and stores values."""
    def has_work(first, last):
        body = code[first:last + 1]
        return any(i.is_code_load for i in body) and (
            variant.store_width is None or any(is_store(i, variant) for i in body))
    loops = [(i.target, i.index) for i in code if i.target is not None and 0 <= i.target <= i.index]
    loops = [loop for loop in loops if has_work(*loop)]
    first, last = min(loops, key=lambda loop: loop[1] - loop[0])
    return code[first:last + 1]


def common_path(loop, variant):
    """The shortest path through a loop that includes all code loads and value stores that one path can include. It
    omits the code for bytes at the edges of rows and for changing tiles."""
    first = loop[0].index
    stops = [i.index for i in loop if i.is_code_load or is_store(i, variant)]
    path, at = [], first
    for stop in stops + [loop[-1].index]:
        way = shortest_way(loop, first, at, stop)
        if way is None:  # on a branch that excludes the previous stop
            continue
        path += way
        at = stop
    return path + [loop[-1]]


def shortest_way(loop, first, start, end):
    """The instructions on the shortest forward path from `start` to `end`, without `end`."""
    best = {start: (0, None)}
    for index in range(start, end):
        if index not in best:
            continue
        instruction = loop[index - first]
        follow = [index + 1]
        if instruction.target is not None:
            # A branch out of the loop is the exit, or a detour for diverged lanes (BRA.DIV).
            leaves = not first <= instruction.target < first + len(loop)
            follow = ([index + 1] if instruction.is_predicated or leaves else []) + [instruction.target]
        for after in follow:
            if index < after <= end and (after not in best or best[after][0] > best[index][0] + 1):
                best[after] = (best[index][0] + 1, index)
    if end not in best:
        return None
    way, at = [], end
    while at != start:
        at = best[at][1]
        way.append(loop[at - first])
    return way[::-1]


def instructions_of_a_turn(code):
    """Those of the smallest loop with wide stores: that of warps whose rows are all coded, and of values without a
    step."""
    stores = [i.index for i in code if i.opcode == STORE and i.width == 16]
    return min(i.index + 1 - i.target for i in code
               if i.target is not None and any(i.target <= store <= i.index for store in stores))


def loads_in_flight(path, variant):
    """The number of loads of the next step's codes in flight when the last value of a step is stored. For a kernel
    that stores just-loaded data or nothing, the maximum number of loads in flight."""
    last_store = max((i.index for i in path if is_store(i, variant)), default=None)
    waiting, most = {}, 0
    for turn in range(2):
        for instruction in path:
            for barrier in range(6):
                if instruction.barriers_awaited >> barrier & 1:
                    waiting.pop(barrier, None)
            if instruction.is_code_load:
                waiting[instruction.barrier_set] = waiting.get(instruction.barrier_set, 0) + 1
                most = max(most, sum(waiting.values()))
            if turn == 1 and variant.is_pipelined and instruction.index == last_store:
                return sum(waiting.values())
    return most


def measure(kernel):
    """Computes a row of the table."""
    variant, device = Variant(kernel["name"]), DEVICES[kernel["architecture"]]
    path = common_path(main_loop(kernel["code"], variant), variant)
    loads = [i for i in path if i.is_code_load]
    stores = [i for i in path if is_store(i, variant)]
    in_flight = loads_in_flight(path, variant)
    block_warps = variant.block_threads // 32
    # Registers are allocated in units of 8 per thread. The system uses 1 KiB of shared memory per block.
    by_registers = 65536 // ((kernel["registers"] + 7) // 8 * 8 * variant.block_threads)
    blocks = min(by_registers, device.shared_bytes // (kernel["shared"] + 1024), device.most_threads // variant.block_threads)
    values = (sum(i.width for i in stores) / variant.value_bytes if stores else sum(i.width for i in loads))
    return dict(
        variant=variant, architecture=kernel["architecture"], registers=kernel["registers"], spilled=kernel["spilled"],
        threads=blocks * variant.block_threads, in_flight=in_flight, load_bytes=max(i.width for i in loads),
        store_bytes=variant.store_width or 0,
        bytes_in_flight=in_flight * max(i.width for i in loads) * variant.used * 32 * blocks * block_warps,
        bytes_wanted=1.5 * device.bytes_needed * variant.read_share(),
        slots=len(path) / values, slots_left=device.slots_per_byte * variant.bytes_per_value())


def table(rows):
    """The rows as Markdown."""
    lines = ["| kernel | type | maps | registers | threads | loads × bytes | store | KB in flight (needed) | slots per value (budget) |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        v = row["variant"]
        channels = v.layout.partition(", ")[2] + (" in order" if v.layout.startswith("in order, ") else "")
        lines.append(
            f"| {v.family}{' ' + channels if channels else ''} | {v.type} | {v.maps} | {row['registers']} | {row['threads']} "
            f"| {row['in_flight']} × {row['load_bytes']} | {row['store_bytes'] or '–'} "
            f"| {row['bytes_in_flight'] / 1e3:.1f} ({row['bytes_wanted'] / 1e3:.1f}) "
            f"| {row['slots']:.1f} ({row['slots_left']:.1f}) |")
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxas")
    parser.add_argument("ptx", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table for compute capability 9.0 to this file")
    parser.add_argument("architectures", nargs="+")
    return parser.parse_args()


ARGUMENTS = arguments() if __name__ == "__main__" else None


class CudaCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The longest first, so that no long one runs alone at the end.
        jobs = [(source, architecture) for architecture in ARGUMENTS.architectures
                for source in (ARGUMENTS.ptx / architecture).glob("*.ptx")]
        jobs.sort(key=lambda job: -job[0].stat().st_size)
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
            made = pool.map(lambda job: assemble(ARGUMENTS.ptxas, *job, pathlib.Path(folder)), jobs)
            cls.kernels = [kernel for kernels in made for kernel in kernels]
        measured = [kernel for kernel in cls.kernels
                    if kernel["architecture"] in DEVICES and Variant(kernel["name"]).family]
        cls.rows = sorted((measure(kernel) for kernel in measured),
                          key=lambda row: (row["architecture"], row["variant"].family, row["variant"].layout,
                                           -row["variant"].value_bytes, row["variant"].type, row["variant"].maps))
        for architecture in sorted({row["architecture"] for row in cls.rows}, key=int):
            print(f"\n{DEVICES[architecture].name} (compute capability {int(architecture) / 10})")
            print(table([row for row in cls.rows if row["architecture"] == architecture]), flush=True)
        if ARGUMENTS.markdown:
            ARGUMENTS.markdown.write_text(table([row for row in cls.rows if row["architecture"] == "90"]) + "\n")

    def check_rows(self, check):
        for row in self.rows:
            v = row["variant"]
            with self.subTest(architecture=row["architecture"], kernel=v.family, layout=v.layout, type=v.type, maps=v.maps):
                check(row)

    def test_every_kernel_was_seen(self):
        # Three types; gather_planes: half types with units of 4 and of 8 values, each with channel and pixel maps.
        counts = {"gather_planes": 10, "gather_pixels": 12, "gather_unaligned_pixels": 12, "gather_unaligned_planes": 9,
                  "gather_channels": 3, "gather_moved": 60, "copy_rows": 2, "sum_codes": 1}
        for architecture in set(ARGUMENTS.architectures) & set(DEVICES):
            for family, count in counts.items():
                seen = [row for row in self.rows
                        if row["architecture"] == architecture and row["variant"].family == family]
                self.assertEqual(len(seen), count, f"{family} for {architecture}")
        for name in ("fold_maps", "clear_sums", "add_biases", "relu_gradients", "softmax_rows", "momentum_steps",
                     "gather_augmented", "gather_made_images", "gather_masks", "gather_resized", "select_samples", "find_needed_parts"):
            self.assertTrue(any(name in kernel["name"] for kernel in self.kernels), name)

    def test_no_kernel_spills_or_takes_too_many_registers(self):
        for kernel in self.kernels:
            with self.subTest(architecture=kernel["architecture"], kernel=kernel["name"]):
                self.assertEqual(kernel["spilled"], 0)
                most = next((most for part, most in MOST_REGISTERS.items() if re.search(part, kernel["name"])), 64)
                self.assertLessEqual(kernel["registers"], most)

    def test_decoding_takes_few_instructions(self):
        found = [(kernel, re.search(r"gather_(lp8|lc8)I(\w+?)Li(\d)E(Lb1)?", kernel["name"])) for kernel in self.kernels
                 if kernel["architecture"] in DEVICES]
        found = [(kernel, *match.groups()) for kernel, match in found if match]
        # LP8: four types, codes among them; LC8 also codes of any width; each of one and of three planes.
        self.assertEqual(len(found), (8 + 10) * len(set(ARGUMENTS.architectures) & set(DEVICES)))
        for kernel, codec, value, planes, is_narrow in found:
            with self.subTest(architecture=kernel["architecture"], kernel=kernel["name"]):
                if value == "a": continue  # codes; other loops have as wide stores
                # Each turn is a row of eight values.
                count = instructions_of_a_turn(kernel["code"]) / 8
                print(f"{count:.2f} instructions a value, {kernel['registers']} registers: {codec}, {value}, "
                      f"{planes} planes{', any width' if is_narrow else ''}, {kernel['architecture']}", flush=True)
                self.assertLessEqual(count, MOST_DECODING[codec, int(planes)])

    def test_more_bytes_are_in_flight_than_the_memory_needs(self):
        self.check_rows(lambda row: self.assertGreaterEqual(row["bytes_in_flight"], row["bytes_wanted"]))

    def test_computing_leaves_the_memory_its_time(self):
        self.check_rows(lambda row: self.assertLessEqual(row["slots"], row["slots_left"] * row["variant"].most_slots))


if __name__ == "__main__":
    unittest.main(argv=["cuda_code_test.py"], verbosity=1)
