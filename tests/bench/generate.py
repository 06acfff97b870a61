"""Writes big, realistic, healthy rollouts: `python tests/bench/generate.py --size 10MB --seed 1 OUT [--stats]`.

The same size and seed give the same bytes. Lines are as long as in real files (median 0.75 kB, 90 % under 4 kB, 99 %
under 40 kB, a few compactions of 1 to 2 MB), a quarter holds text beyond ASCII, and kinds come in the order and
proportion of real sessions with explicit turns. A checker must find nothing in them. Nothing is kept: the records
leave as they are made.
"""

from __future__ import annotations

import argparse
import base64
import collections
import pathlib
import random
import re
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from fixtures import records  # noqa: E402
from fixtures.records import Json, Usage  # noqa: E402
from fixtures.writer import Build, Writer  # noqa: E402

BUILD = Build("0.145.0", "gpt-5.6-sol", item_ids=True, item_turns=True, world=True)
STARTED = "2026-07-21T05:00:00"
SMALLEST_WITH_BIG_LINES = 6_000_000
BYTES_A_BIG_LINE = 30_000_000
LINES_BETWEEN_COMPACTIONS = 700
LARGEST_IMAGE = 250_000

WORD_LIST = """
the a of to and in is it for on with that this as be at by from or an we not are was but have all can will its into
test file line error value call result name path type field parser reader writer table index cache queue worker retry
first last next old new open closed empty broken small large slow fast careful plain enough already still maybe never
returns raises checks reads writes keeps drops moves splits joins counts sorts waits fails passes needs means shows
"""

FOREIGN_LIST = """
größer prüfen über für höchste straße déjà vérifié naïve façade señal año niño łódź žluť çok değil ångström smörgås
файл строка ошибка значение проверка тест таблица αρχείο δοκιμή 文件 测试 错误 修复 结果 检查 行数
テスト 修正 ファイル 失敗 確認 파일 검사 ✓ ✗ → … “quoted” ’s — naïve 🙂 🚀 👩‍💻 ⚠️ 🇳🇴
"""

WORDS, FOREIGN = WORD_LIST.split(), FOREIGN_LIST.split()

CODE = (
    'def {a}_{b}({a}: int, *, {b}: str = "{c}") -> None:\n    """{a} {b} {c}."""\n    return {c}[{a}]\n',
    '\t{a}.{b}("{c}\\n")\n',
    '{a}/{b}.py:118: error: "{c}" has no attribute "{b}"  [attr-defined]\n',
    "2026-07-21 05:14:02,118 {a} INFO {b}: {c} took 18 ms\n",
    '{{"{a}": [1, 2.5, null], "{b}": "{c}"}}\n',
    "C:\\work\\{a}\\{b}\\{c}.txt\r\n",
    "+    {a} = {b}({c}={a})  # {b}\n-    {a} = {b}()\n",
    "tests/test_{a}.py::test_{b}_{c} PASSED                    [ 41%]\n",
)


@dataclass
class Pools:
    """Text made once, cut from at random places."""

    dice: random.Random
    prose: str = ""
    foreign: str = ""
    code: str = ""
    foreign_code: str = ""
    letters: str = ""
    _sizes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        dice = self.dice
        words = [dice.choice(WORDS) for _ in range(40_000)]
        mixed = [dice.choice(FOREIGN) if dice.random() < 0.3 else word for word in words]
        self.prose, self.foreign = _sentences(words), _sentences(mixed)
        self.code = "".join(_code_line(dice, WORDS) for _ in range(9_000))
        self.foreign_code = "".join(_code_line(dice, FOREIGN if n % 3 == 0 else WORDS) for n in range(9_000))
        self.letters = base64.b64encode(dice.randbytes(600_000), altchars=b"zZ").decode()

    def cut(self, pool: str, size: int) -> str:
        """`size` characters from a random place; a pool too short is repeated."""
        if size >= len(pool):
            return (pool * (size // len(pool) + 1))[:size]
        start = self.dice.randrange(len(pool) - size)
        return pool[start : start + size]

    def text(self, size: int, foreign: bool) -> str:
        """Prose of about `size` bytes."""
        return self.cut(self.foreign, int(size * 0.8)) if foreign else self.cut(self.prose, size)

    def output(self, size: int, foreign: bool) -> str:
        """What a command prints, of about `size` bytes once it is escaped."""
        return self.cut(self.foreign_code, int(size * 0.8)) if foreign else self.cut(self.code, int(size * 0.9))

    def encrypted(self, size: int) -> str:
        return "gAAAAAB" + self.cut(self.letters, size)


def _sentences(words: list[str]) -> str:
    rows = [" ".join(words[n : n + 11]) for n in range(0, len(words), 11)]
    return ". ".join(f"{row}.\n" if n % 7 == 0 else row for n, row in enumerate(rows))


def _code_line(dice: random.Random, words: list[str]) -> str:
    return dice.choice(CODE).format(a=dice.choice(words), b=dice.choice(WORDS), c=dice.choice(words))


def generate(size_bytes: int, seed: int) -> Iterator[bytes]:
    """The lines of a rollout of about `size_bytes`, each with its newline."""
    return Generator(size_bytes, seed).lines()


class Generator:
    """One big session being played; see `generate`."""

    def __init__(self, size_bytes: int, seed: int) -> None:
        self.size = size_bytes
        self.dice = random.Random(seed)
        self.pools = Pools(self.dice)
        self.writer = Writer(BUILD, records.milliseconds(STARTED), "/home/robin/observatory", f"bench {seed}")
        self.foreign = False
        self.written = 0
        self.count = 0
        self.next_compaction = LINES_BETWEEN_COMPACTIONS
        big = size_bytes // BYTES_A_BIG_LINE + 1 if size_bytes >= SMALLEST_WITH_BIG_LINES else 0
        self.big_at = [size_bytes * (2 * n + 1) // (2 * big) for n in range(big)]

    @property
    def name(self) -> str:
        return self.writer.name

    @property
    def left(self) -> int:
        """Bytes that are still wanted, without what an end needs."""
        return self.size - self.written - 4_000

    def lines(self) -> Iterator[bytes]:
        text = self.pools.text(14_000, False)
        self.writer.header(thread_source="user", base_instructions={"text": text})
        first = True
        while first or self.left > 0:
            yield from self.turn(first)
            first = False

    def drain(self) -> Iterator[bytes]:
        lines, self.writer.lines = self.writer.lines, []
        self.count += len(lines)
        for line in lines:
            self.written += len(line) + 1
            yield line + b"\n"

    # -- a turn

    def turn(self, first: bool) -> Iterator[bytes]:
        w, dice = self.writer, self.dice
        w.wait(dice.randrange(5, 4_000))
        self.foreign = dice.random() < 0.42
        w.start(context=False)
        if first or dice.random() < 0.15:
            for size in (6_000, 2_200):
                w.item(records.message("developer", [self.say(size)]), "msg")
            w.injected()
        self.context()
        self.ask()
        yield from self.drain()
        for _ in range(1 + int(14 * dice.random() ** 1.6)):
            if self.left <= 0:
                break
            self.step()
            yield from self.drain()
            if self.left > 0:
                yield from self.maybe_compact()
        if dice.random() < 0.05:
            w.abort()
        else:
            if dice.random() < 0.03:
                plan = {"type": "Plan", "id": f"{w.turn}-plan", "text": self.say(3_000)}
                w.event(records.item_completed(w.thread, w.turn, plan, w.now, w.now))
            w.answers(self.say(self.between(200, 2_400)))
            self.usage()
            w.complete()
        self.between_turns()
        yield from self.drain()

    def between_turns(self) -> None:
        """What now and then stands between two turns: the settings, the header again, a turn taken back."""
        w, luck = self.writer, self.dice.random()
        if luck < 0.08:
            w.event(records.thread_settings(cwd=w.cwd, model=BUILD.model))
        elif luck < 0.11:
            w.header(thread_source="user", memory_mode="enabled")
        elif luck < 0.12 and self.left > 0:
            w.event({"type": "thread_rolled_back", "num_turns": 1})

    def step(self) -> None:
        """One answer of the model: thoughts, words, calls with their results, usage."""
        w, dice = self.writer, self.dice
        if dice.random() < 0.75:
            summary = [f"**{self.say(40)}**"] if dice.random() < 0.2 else []
            encrypted = self.pools.encrypted(
                self.between(500, 1_900) if dice.random() < 0.8 else self.between(2_500, 4_500)
            )
            w.item(records.reasoning(summary, encrypted), "rs", 1.9)
        if dice.random() < 0.45:
            w.says(self.say(self.between(80, 400)))
        act = dice.random()
        if act < 0.62:
            calls = [w.runs(self.command()) for _ in range(dice.choice((1, 1, 1, 2, 3)))]
            for call in calls:
                w.ran(call, self.out(), dice.choice((0, 0, 0, 0, 1)), dice.randrange(1, 900) / 100)
        elif act < 0.76:
            w.script(f"const r = await tools.exec_command({{cmd:{self.command()!r}}});\ntext(r);", [self.out()], 0.4)
        elif act < 0.88:
            self.patch()
        elif act < 0.93:
            call = w.calls("update_plan", plan=[{"step": self.say(60), "status": "pending"} for _ in range(4)])
            w.returns(call, "Plan updated")
        elif act < 0.95:
            query = self.say(50)
            w.event(records.web_search_end(records.item_id("ws", w.unique("search")), query))
            w.item(records.web_search_call(query), "ws")
        elif act < 0.98:
            values: Json = {"query": self.say(40), "limit": 20}
            call = w.calls("search", "mcp__library", **values)
            found = self.out()
            w.event(records.mcp_tool_call_end(call, w.turn, "library", "search", values, found))
            w.returns(call, [f"Wall time: 0.1 seconds\nOutput:\n{found}"])
        elif act < 0.985:
            self.delegate()
        self.usage()

    def delegate(self) -> None:
        """Another agent is asked, and answers."""
        w = self.writer
        thread = records.uuid7(w.now, w.unique("child"))
        path = f"/root/{self.dice.choice(WORDS)}"
        call = w.calls("spawn_agent", "collaboration", task_name=path, message=self.say(200))
        w.event(records.sub_agent_activity(call, w.now, thread, path))
        w.returns(call, records.arguments(task_name=path))
        w.record("inter_agent_communication_metadata", {"trigger_turn": False})
        content = [{"type": "input_text", "text": self.say(900)}]
        w.item({"type": "agent_message", "author": path, "recipient": "/root", "content": content}, "amsg")

    def ask(self) -> None:
        """The human's words; now and then with a picture."""
        w = self.writer
        text = self.say(self.between(40, 900))
        if self.dice.random() > 0.01 or self.left < 4 * LARGEST_IMAGE:
            w.user(text)
            return
        url = "data:image/png;base64," + self.pools.cut(self.pools.letters, self.between(30_000, LARGEST_IMAGE))
        item = records.message("user", [text])
        item["content"].append({"type": "input_image", "image_url": url})
        w.item(item, "msg")
        w.event(records.user_message(text, [url]))

    def patch(self) -> None:
        w = self.writer
        path = f"src/{self.dice.choice(WORDS)}.py"
        before = self.pools.cut(self.pools.code, 200)
        new = self.out(self.between(100, 1_800))
        rows = "".join(f"+{row}\n" for row in new.split("\n"))
        call = records.call_id(w.unique("patch"))
        source = f"*** Begin Patch\n*** Update File: {path}\n@@\n {before}\n{rows}*** End Patch"
        w.item(records.custom_tool_call(call, "apply_patch", source), "ctc", 1.1)
        words = f"Success. Updated the following files:\nM {path}\n"
        diff = f"@@ -1,3 +1,9 @@\n {before}\n{rows}"
        change = {f"{w.cwd}/{path}": {"type": "update", "unified_diff": diff, "move_path": None}}
        w.event(records.patch_apply_end(call, w.turn, change, words))
        w.item(records.custom_tool_call_output(call, f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{words}"), "ctco")

    def usage(self) -> None:
        """A token count, and now and then the same one again."""
        dice = self.dice
        given = dice.randrange(8_000, 200_000)
        output = dice.randrange(20, 3_000)
        last = Usage(given, given * dice.randrange(60, 98) // 100, output, output * dice.randrange(0, 80) // 100)
        self.writer.used_percent = 3.0
        self.writer.uses(*last)
        if dice.random() < 0.08:
            self.writer.tells_usage(last)

    def maybe_compact(self) -> Iterator[bytes]:
        if self.big_at and self.written > self.big_at[0]:
            self.big_at.pop(0)
            yield from self.compact(self.between(1_000_000, 2_000_000))
        elif self.count > self.next_compaction:
            self.next_compaction = self.count + LINES_BETWEEN_COMPACTIONS
            yield from self.compact(min(self.between(20_000, 90_000), self.left))

    def compact(self, size: int) -> Iterator[bytes]:
        w = self.writer
        history: list[Json] = []
        while size > 0:
            share = min(size, self.between(400, 9_000))
            history.append(records.message("user" if len(history) % 2 else "assistant", [self.say(share)]))
            size -= share + 90
        history.append({"type": "compaction", "encrypted_content": self.pools.encrypted(6_000)})
        w.record("compacted", records.compacted(history), 3.0)
        self.context()
        total = records.tokens(w.total)
        estimate = {**records.tokens(Usage()), "total_tokens": 9_000}
        info = {"total_token_usage": total, "last_token_usage": estimate, "model_context_window": 258_400}
        w.event({"type": "token_count", "info": info, "rate_limits": None})
        w.event({"type": "context_compacted"})
        yield from self.drain()

    def context(self) -> None:
        text = self.pools.text(self.between(900, 4_500), False)
        settings = {"model": BUILD.model, "reasoning_effort": "medium", "developer_instructions": text}
        self.writer.context(collaboration_mode={"mode": "default", "settings": settings})

    # -- sizes and texts

    def between(self, low: int, high: int) -> int:
        return self.dice.randrange(low, high)

    def say(self, size: int) -> str:
        return self.pools.text(size, self.foreign)

    def command(self) -> str:
        return f"rg -n '{self.say(30)}' src | head -40".replace("\n", " ")

    def out(self, size: int | None = None) -> str:
        """A command's output. Most are short, a few long, hardly any very long."""
        if size is None:
            luck = self.dice.random()
            if luck < 0.36:
                size = self.between(60, 1_100)
            elif luck < 0.54:
                size = self.between(1_100, 3_600)
            elif luck < 0.84:
                size = self.between(3_600, 15_000)
            elif luck < 0.975:
                size = self.between(15_000, 38_000)
            else:
                size = self.between(38_000, 150_000)
        return self.pools.output(max(20, min(size, self.left)), self.foreign)


# -- figures


def quantile(ordered: list[int], share: float) -> int:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def stats(lines: Iterable[bytes]) -> str:
    """A table of what the lines are: quantiles of the lengths, kinds, a histogram."""
    sizes: list[int] = []
    kinds: collections.Counter[str] = collections.Counter()
    weights: collections.Counter[str] = collections.Counter()
    foreign = 0
    for line in lines:
        found = re.match(rb'\{"timestamp":"[^"]*","type":"(\w+)","payload":\{(?:"type":"(\w+)")?', line)
        kind = "/".join(part.decode() for part in found.groups() if part) if found else "?"
        sizes.append(len(line))
        kinds[kind] += 1
        weights[kind] += len(line)
        foreign += not line.isascii()
    ordered = sorted(sizes)
    total = sum(sizes)
    shares = " ".join(f"{name} {quantile(ordered, share):,}" for name, share in QUANTILES)
    rows = [
        f"{len(sizes):,} lines, {total:,} bytes: {shares} max {ordered[-1]:,}; {foreign / len(sizes):.0%} non-ASCII"
    ]
    rows += [
        f"  {kind:<48}{n:>8,} {n / len(sizes):>6.1%} {weights[kind] / total:>7.1%} of the bytes"
        for kind, n in kinds.most_common()
    ]
    bins = collections.Counter(len(bin(size)) - 2 for size in sizes)
    highest = max(bins.values())
    for bits, n in sorted(bins.items()):
        rows.append(f"  {1 << (bits - 1):>9,} to {(1 << bits) - 1:>9,} {n:>8,} {'#' * (60 * n // highest)}")
    return "\n".join(rows) + "\n"


QUANTILES = (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99))


def parse_size(text: str) -> int:
    """`10MB`, `200kB`, `1234`; kB and MB are 1,000 and 1,000,000 bytes."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(B|kB|MB|GB)?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"no size: {text!r}")
    return int(float(found[1]) * {None: 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}[found[2]])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes a big, realistic, healthy rollout.")
    parser.add_argument("--size", type=parse_size, default=10**7, help="10MB, 200kB, ... (default: 10MB)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stats", action="store_true", help="print what the lines are")
    parser.add_argument("out", type=pathlib.Path, nargs="?", help="the file to write")
    options = parser.parse_args(arguments)
    if not options.out and not options.stats:
        parser.error("give a file to write, or --stats")
    started = time.perf_counter()
    if options.out:
        with options.out.open("wb") as file:
            file.writelines(generate(options.size, options.seed))
        seconds = time.perf_counter() - started
        sys.stdout.write(f"{options.out}: {options.out.stat().st_size:,} bytes in {seconds:.1f} s\n")
    if options.stats:
        sys.stdout.write(stats(generate(options.size, options.seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
