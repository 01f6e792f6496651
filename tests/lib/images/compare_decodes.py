"""Compares how Octavo and Pillow decode each of many image files; exits with 77 if Pillow is missing.

usage: compare_decodes.py FOLDER MANIFEST [TABLE]

Each line of MANIFEST has a file below FOLDER, a tab and Octavo's result: WIDTH, HEIGHT, CHANNELS and the path of the
raw pixels, tab-separated, or the reason for refusing the file. Transparent pixels are composed over BACKGROUND. Pixels
must equal Pillow's to the byte; for lossy formats, to 2 levels. If only one of the two reads a file, VERDICTS must give
the reason. TABLE is written as Markdown if given. INDEX.tsv in FOLDER describes the files.
"""

import os
import sys

import pillow_reference as reference
from pillow_reference import numpy

BACKGROUND = (10, 200, 90)
LARGEST_LOSSY_DIFFERENCE = 2

# Files that only one of the two reads, with the reason.
VERDICTS = {
    "pngsuite/xcsn0g01.png": "corrupt on purpose: the CRC of its pixels is wrong, which Octavo does not let pass",
    "F_raw.tif": "Pillow cuts floating-point numbers off at 255; nobody knows their range",
    "I_raw.tif": "Pillow cuts 32-bit numbers off at 255; nobody knows their range",
    "LAB_raw.tif": "Pillow cannot turn Lab into RGB either",
}


def difference(ours, pillow):
    """The largest difference of any value. A gray image is compared as RGB with equal values."""
    if ours.shape[:2] != pillow.shape[:2]:
        return f"sizes {ours.shape[1]}x{ours.shape[0]} and {pillow.shape[1]}x{pillow.shape[0]}"
    if pillow.ndim == 2:
        pillow = pillow[:, :, None]
    if ours.shape[2] != pillow.shape[2]:
        ours, pillow = numpy.broadcast_arrays(ours, pillow)
    largest = 0
    for y in range(0, ours.shape[0], 256):
        part = numpy.abs(ours[y : y + 256].astype(numpy.int16) - pillow[y : y + 256])
        largest = max(largest, int(part.max(initial=0)))
    return largest


class Row:
    def __init__(self, folder, name, ours):
        self.name, self.problem, self.largest, self.note = name, None, "", ""
        self.ours = f"refused: {ours[0]}" if len(ours) == 1 else f"{ours[0]}×{ours[1]}, {'gray' if ours[2] == '1' else 'RGB'}"
        try:
            pixels, lossy, notes = reference.decode(os.path.join(folder, name), BACKGROUND)
            self.pillow, self.note = f"{pixels.shape[1]}×{pixels.shape[0]}", "; ".join(notes)
        except AssertionError:
            raise
        except Exception as error:
            pixels, self.pillow = None, f"refused ({type(error).__name__})"
        if len(ours) > 1 and pixels is not None:
            self.compare(ours, pixels, lossy)
        elif (len(ours) > 1) != (pixels is not None):
            self.note = VERDICTS.get(name, "")
            self.problem = None if self.note else f"Pillow: {self.pillow}; Octavo: {self.ours}; no reason is stated"

    def compare(self, ours, pixels, lossy):
        width, height, channels = (int(value) for value in ours[:3])
        values = numpy.fromfile(ours[3], numpy.uint8).reshape(height, width, channels)
        largest = difference(values, pixels)
        self.largest = str(largest)
        if not isinstance(largest, int) or largest > (LARGEST_LOSSY_DIFFERENCE if lossy else 0):
            self.problem = f"differs from Pillow: {largest}"


def descriptions(folder):
    texts = {}
    try:
        with open(os.path.join(folder, "INDEX.tsv"), encoding="utf-8") as index:
            for line in list(index)[1:]:
                fields = line.rstrip("\n").split("\t")
                texts[fields[0]] = fields[5] if fields[9].startswith(("PngSuite", "see structure", "palette,")) else fields[9]
    except FileNotFoundError:
        pass
    return texts


def write_table(path, rows, folder):
    texts = descriptions(folder)
    both = sum(row.largest != "" for row in rows)
    exact = sum(row.largest == "0" for row in rows)
    neither = sum(row.largest == "" and row.name not in VERDICTS for row in rows)
    one = len(rows) - both - neither
    others = "" if exact == both else f", the others (lossy formats) to at most {LARGEST_LOSSY_DIFFERENCE} levels"
    with open(path, "w", encoding="utf-8") as table:
        table.write(
            f"""# Difficult image files, one by one

Written by `tools/odd_table.sh`. The test \"difficult files are decoded as by Pillow\" fails if a row breaks the rule.
{len(rows)} files: {both} are decoded by both Pillow {reference.Image.__version__} and Octavo, {exact} of them to the same bytes{others};
{neither} are refused by both; {one} by one of the two, for the reason in the last column.

Pillow's raw decode goes through the conversions of [conversions.md](../conversions.md), as named in the last column: 16 bits by
(v + 128) / 257 where Pillow keeps the upper byte or the 16 bits, alpha over a background (here RGB {BACKGROUND}) where Pillow
keeps it separate, the EXIF orientation, inks by the stated formula. Everything else must match Pillow.

| file | what it is | Pillow | Octavo | largest difference | conversion, or why they differ |
| --- | --- | --- | --- | --- | --- |
"""
        )
        for row in rows:
            cells = (f"`{row.name}`", texts.get(row.name, ""), row.pillow, row.ours, row.largest, row.note)
            table.write("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")


def main():
    folder = sys.argv[1]
    with open(sys.argv[2], encoding="utf-8") as lines:
        rows = []
        for line in lines:
            name, *ours = line.rstrip("\n").split("\t")
            rows.append(Row(folder, name, ours))
    if len(sys.argv) > 3:
        write_table(sys.argv[3], rows, folder)
    exact = sum(row.largest == "0" for row in rows)
    print(f"{len(rows)} files: {sum(row.largest != '' for row in rows)} decoded by both, {exact} to the same bytes")
    problems = [f"{row.name}: {row.problem}" for row in rows if row.problem]
    if problems:
        sys.exit("\n".join(problems))


main()
