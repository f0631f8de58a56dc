#!/usr/bin/env python3
"""Draws overview.svg and architecture.svg beside this file."""
import html
import pathlib

HERE = pathlib.Path(__file__).parent
BLUE, GREEN, ORANGE, GREY, INK = "#dbe7fb", "#dcf2e0", "#fde8cf", "#eef0f3", "#1f2937"
TINTS = ["#cfe0fb", "#cdeed4", "#fcdcb4", "#ead7f7"]


class Drawing:
    def __init__(self, width, height):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      'font-family="Helvetica, Arial, sans-serif" font-size="14">',
                      '<defs><marker id="tip" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto-start-reverse">'
                      f'<path d="M0,0 L9,4 L0,8 z" fill="{INK}"/></marker></defs>',
                      f'<rect width="{width}" height="{height}" rx="8" fill="white"/>']

    def box(self, x, y, width, height, fill, stroke="#64748b", radius=6):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}" stroke="{stroke}"/>')

    def text(self, x, y, text, anchor="middle", size=14, weight="normal", mono=False, color=INK):
        family = ' font-family="DejaVu Sans Mono, Menlo, monospace" xml:space="preserve"' if mono else ""
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
                          f'fill="{color}"{family}>{html.escape(text)}</text>')

    def arrow(self, *points, both=False, dashed=False):
        path = "M" + " L".join(f"{x},{y}" for x, y in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="1.5" marker-end="url(#tip)"'
                          + (' marker-start="url(#tip)" ' if both else "") + (' stroke-dasharray="5 4"' if dashed else "") + "/>")

    def labelled(self, x, y, width, height, fill, title, *lines):
        self.box(x, y, width, height, fill)
        top = y + height / 2 + 5 - 9 * len(lines)
        self.text(x + width / 2, top, title, weight="bold")
        for i, line in enumerate(lines, start=1):
            self.text(x + width / 2, top + 18 * i, line, size=12.5)

    def save(self, name):
        (HERE / name).write_text("\n".join(self.parts + ["</svg>\n"]))


def overview():
    draw = Drawing(960, 330)
    for x, title in ((165, "You write array operations"), (450, "Pilum fuses them"), (762, "and runs pieces everywhere")):
        draw.text(x, 34, title, size=16, weight="bold")
    draw.box(18, 70, 296, 176, GREY)
    code = ["for (…) {", "  auto average = center + north", "               + east + west", "               + south;",
            "  auto work = 0.2 * average;", "  center[all] = work;", "}"]
    for i, line in enumerate(code):
        draw.text(34, 100 + 21 * i, line, anchor="start", size=13, mono=True)
    draw.text(166, 272, "six operations, five temporaries", size=13)

    draw.arrow((320, 158), (352, 158))
    draw.box(358, 70, 184, 176, ORANGE)
    for i, line in enumerate(["load  at (0, 0)", "load  at (-1, 0)", "load  at (0, 1)", "load  at (0, -1)", "load  at (1, 0)", "add, multiply",
                              "store"]):
        draw.text(376, 100 + 21 * i, line, anchor="start", size=13, mono=True)
    draw.text(450, 272, "one compiled kernel,", size=13)
    draw.text(450, 290, "no temporary in memory", size=13)

    draw.arrow((548, 158), (582, 158))
    x0, y0, side, gap = 600, 54, 92, 42
    names = [("rank 0", "GPU 0"), ("rank 0", "GPU 1"), ("rank 1", "GPU 0"), ("rank 1", "GPU 1")]
    for i, (rank, processor) in enumerate(names):
        x, y = x0 + (i % 2) * (side + 96), y0 + (i // 2) * (side + gap)
        draw.box(x, y, side + 60, side, TINTS[i], radius=3)
        for line in range(1, 6):  # cells
            draw.parts.append(f'<path d="M{x},{y + line * side / 6} h{side + 60}" stroke="white" stroke-width="1"/>')
        for line in range(1, 10):
            draw.parts.append(f'<path d="M{x + line * (side + 60) / 10},{y} v{side}" stroke="white" stroke-width="1"/>')
        draw.text(x + (side + 60) / 2, y + side / 2 - 2, rank, weight="bold")
        draw.text(x + (side + 60) / 2, y + side / 2 + 16, processor, size=13)
    right, below = x0 + side + 60, y0 + side
    for y in (y0 + side / 2, y0 + side + gap + side / 2):
        draw.arrow((right + 4, y), (right + 32, y), both=True)
    for x in (x0 + 76, x0 + side + 96 + 76):
        draw.arrow((x, below + 3), (x, below + gap - 3), both=True)
    draw.text(776, 302, "a piece for each GPU or group of cores; halos", size=13)
    draw.text(776, 320, "travel while the interiors are computed", size=13)
    draw.save("overview.svg")


def architecture():
    draw = Drawing(960, 560)
    draw.labelled(20, 20, 430, 52, GREY, "apps, your program", "include/pilum: arrays, tasks, Runtime")
    draw.labelled(510, 20, 430, 52, GREY, "launcher: plaunch", "starts ranks, watches them, names the one that failed")
    draw.arrow((235, 72), (235, 96))
    draw.arrow((725, 72), (725, 84), (465, 84), (465, 50), (452, 50), dashed=True)
    draw.labelled(20, 98, 920, 52, BLUE, "numeric: checks arguments, infers shape and dtype, records one operation for each call",
                  "a user's mistake is thrown here, with its source line")

    draw.box(20, 176, 920, 222, "#f8fafc")
    draw.text(36, 198, "scheduler", anchor="start", weight="bold")
    y, height = 216, 66
    stages = [("record", "operations, stores,", "views"), ("analyze", "windows, loops,", "fusion into tasks"),
              ("plan", "pieces, halos, memory,", "dependences"), ("execute", "threads, GPU streams,", "messages")]
    xs = [40, 265, 490, 715]
    for x, (title, *lines) in zip(xs, stages):
        draw.labelled(x, y, 205, height, GREEN, title, *lines)
    for x in xs[:3]:
        draw.arrow((x + 205, y + 33), (x + 225, y + 33))
    draw.labelled(265, 318, 430, 62, ORANGE, "memo: the plan cache", "a window seen before goes straight to execution:", "nothing is analysed or planned again")
    draw.arrow((237, 282), (237, 349), (263, 349))
    draw.arrow((697, 349), (790, 349), (790, 284))
    draw.arrow((592, 282), (592, 316), dashed=True)
    draw.labelled(36, 318, 88, 62, GREY, "session", "one rank's", "runtime")
    draw.labelled(134, 318, 88, 62, GREY, "memory", "where cells", "are")
    draw.labelled(832, 302, 100, 40, GREY, "print", "stages as text")
    draw.labelled(832, 350, 100, 40, GREY, "watch", "calls, stalls")
    draw.arrow((235, 150), (235, 174))

    draw.labelled(20, 424, 920, 46, BLUE, "partitioner: where data lives", "regions, affine maps, tilings, and the solver that chooses them; pure geometry")
    draw.arrow((480, 398), (480, 422))
    draw.arrow((480, 470), (480, 490))
    draw.box(20, 492, 920, 54, BLUE)
    draw.text(480, 513, "runtime: what one rank has to work with", weight="bold")
    draw.text(480, 533, "kernel (IR, source) · jit (clang, NVRTC) · device (threads, GPUs) · comm (MPI, UCX) · memory · machine · profile · base", size=12.5)
    draw.save("architecture.svg")


overview()
architecture()
