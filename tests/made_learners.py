"""Learners in files, put together at random: some play the same wherever they do, the others do not."""

from __future__ import annotations

from random import Random
from textwrap import indent

HEAD = """\
import functools, gc, hashlib, itertools, math, os, random, secrets, threading, time, uuid
from collections import Counter, defaultdict, deque
from fractions import Fraction

import numpy as np

COUNT = itertools.count()
CALLS = {"begun": 0}
DRAWS = random.Random(7)
ARRAYS = np.random.default_rng(7)
WEIGHTS = {"a": 1, "b": 2}


@functools.cache
def share(n):
    return (n * 2654435761 % 2**32) / 2**32


def grown(more=[]):
    more.append(1)
    return len(more)


def called():
    called.times = getattr(called, "times", 0) + 1
    return called.times


class Learner:
    seen = Counter()
    made = 0
    memory = {}
    generator = random.Random(11)

"""

# Numbers in [0, 1) that are the same everywhere if attributes are kept; what __init__ says, and the number.
HONEST = [
    ("self.random = random.Random(task.seed)", "self.random.random()"),
    ("self.draws = np.random.default_rng(task.seed)", "float(self.draws.random())"),
    ("self.draws = np.random.Generator(np.random.PCG64(task.seed))", "float(self.draws.uniform())"),
    ("self.older = np.random.RandomState(task.seed % 2**32)", "self.older.rand()"),
    ("self.tried = Counter()", "share(sum(self.tried.values()))"),
    ("self.tried = Counter()", "share(len(self.tried) + episode)"),
    ("self.times = defaultdict(float)", "math.modf(sum(self.times.values()))[0]"),
    ("self.last = deque(maxlen=3)", "share(len(self.last) + 7 * episode)"),
    ("self.table = np.zeros(4)", "share(int(self.table.sum()))"),
    ("self.names = set(task.all_actions)", "share(len(sorted(self.names)[0]) + episode)"),
    ("self.share = Fraction(1, 3)", "float(self.share * episode % 1)"),
    ("self.word = task.seed", "share(hashlib.sha256(str((self.word, episode)).encode()).digest()[0])"),
    ("self.word = task.seed", "share(hash((self.word, episode)) % 997)"),
    ("self.weights = dict(WEIGHTS)", "share(sum(self.weights.values()) + episode)"),
    ("self.count = 0", "share(self.told())"),
]  # fmt: skip

# What nobody sees: clocks, caches and globals of which nothing comes.
HARMLESS = [
    "self.began = time.time()",
    "self.spent = self.spent + time.perf_counter() if hasattr(self, 'spent') else 0.0",
    "random.random()",
    "np.random.random()",
    "CALLS['begun'] += 1",
    "Learner.made += 1",
    "self.process = os.getpid()",
    "self.place = id(self)",
    "self.words = {str(i) for i in range(20)}",
    "Learner.memory[episode] = share(episode)",
    "self.kept = Learner.memory.get(episode, share(episode))",
    "grown()",
    "print('episode', episode)",
    "gc.collect(0)",
    "self.cache = {id(x): x for x in self.task.states}",
    "self.thread = threading.get_ident()",
]

# Numbers that are others elsewhere: what is said in __init__, and the number.
DISHONEST = {
    "the module random": ("", "random.random()"),
    "a choice of the module random": ("", "random.choice(range(100)) / 100"),
    "seeded, but global": ("random.seed(task.seed)", "random.random()"),
    "numpy's global draws": ("", "float(np.random.random())"),
    "numpy's global draws, seeded": ("np.random.seed(task.seed % 2**32)", "float(np.random.random())"),
    "a generator without a seed": ("self.draws = np.random.default_rng()", "float(self.draws.random())"),
    "random numbers without a seed": ("self.draws = random.Random()", "self.draws.random()"),
    "draws of the module's": ("", "DRAWS.random()"),
    "numpy's draws of the module's": ("", "float(ARRAYS.random())"),
    "draws of the class": ("", "self.generator.random()"),
    "the clock": ("", "share(time.time_ns())"),
    "seconds since the start": ("", "share(time.perf_counter_ns())"),
    "a clock in the beginning": ("self.began = time.time_ns()", "share(self.began + episode)"),
    "processor time": ("", "share(time.process_time_ns())"),
    "the number of the process": ("", "share(os.getpid() + episode)"),
    "where an object is": ("self.thing = object()", "share(id(self) // 16 + episode)"),
    "the hash of a word": ("", "share(hash(f'word {episode}') % 2**32)"),
    "the order of a set": ("", "share(int(next(iter({str(i) for i in range(1000)}))) + episode)"),
    "a counter of the module": ("", "share(next(COUNT))"),
    "a dictionary of the module": ("CALLS['begun'] += 1", "share(CALLS['begun'] + 31 * episode)"),
    "a number of the class": (
        "Learner.made += 1\nself.draws = random.Random(Learner.made)", "self.draws.random()"
    ),
    "counts of the class": ("", "share(self.counted() + 31 * episode)"),
    "memory of the class": ("", "share(len(self.memory) + 1000 * self.remembered(episode))"),
    "a default that is changed": ("", "share(grown())"),
    "what a function remembers": ("", "share(called())"),
    "random bytes": ("", "share(int.from_bytes(os.urandom(4), 'big'))"),
    "secrets": ("", "share(secrets.randbelow(10**6))"),
    "a random name": ("", "share(uuid.uuid4().int % 2**32)"),
    "the environment": ("os.environ['EPISODES_BEGUN'] = '0'",
        "share(int(os.environ.__setitem__('EPISODES_BEGUN', str(int(os.environ['EPISODES_BEGUN']) + 1)) or "
        "os.environ['EPISODES_BEGUN']))"),
    "what is not kept": ("self.luck = Luck(task.seed)", "self.luck.draw()"),
}  # fmt: skip

TAIL = """\

class Luck:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def draw(self):
        return self.random.random()

    def __getstate__(self):
        return {}

    def __setstate__(self, state):
        self.random = random.Random(3)
"""


def learner(setup: list[str], number: str, harmless: list[str], asked: bool) -> str:
    """The text of a learner whose actions come from ``number``."""
    body = ["def __init__(self, task):", "    self.task, self.told_of, episode = task, 0, 0"]
    body += [f"    {line}" for text in setup for line in text.splitlines()]
    body += [
        "",
        "def begin(self, episode):",
        *(f"    {line}" for line in harmless),
        "    self.episode = episode",
    ]
    if asked:
        body += [
            "    return None",
            "",
            "def act(self, state, remaining):",
            "    names = self.task.actions[state]",
        ]
        body += ["    episode = self.episode", f"    return names[int({number} * 7919) % len(names)]"]
    else:
        body += ["    chosen = {}", "    for x, names in self.task.actions.items():"]
        body += [f"        chosen[x] = names[int({number} * 7919) % len(names)]"]
        body += ["    return lambda state, remaining: chosen[state]"]
    body += ["", "def observe(self, visit):", "    self.told_of += 1"]
    body += ["    if hasattr(self, 'tried'): self.tried[visit.state, visit.action] += 1"]
    body += ["    if hasattr(self, 'times'): self.times[visit.state] += float(visit.holding)"]
    body += ["    if hasattr(self, 'last'): self.last.append(visit.to)"]
    body += ["    if hasattr(self, 'table'): self.table[self.told_of % 4] += 1"]
    body += ["", "def told(self):", "    return self.told_of"]
    body += ["", "def counted(self):", "    Learner.seen['all'] += 1", "    return Learner.seen['all']"]
    body += [
        "",
        "def remembered(self, episode):",
        "    Learner.memory[len(Learner.memory)] = 1",
        "    return 0",
    ]
    return HEAD + indent("\n".join(body), "    ", lambda line: bool(line)) + "\n\n" + TAIL


def honest(seed: int) -> str:
    """One that plays the same wherever it does."""
    draw = Random(seed)
    parts = draw.sample(HONEST, draw.randint(1, 3))
    number = " + ".join(f"{number} / {len(parts)}" for _, number in parts)
    setup = [line for line, _ in parts]
    return learner(setup, f"({number})", draw.sample(HARMLESS, draw.randint(0, 5)), draw.random() < 0.5)


def dishonest(name: str, seed: int) -> str:
    """One that does not, for the reason ``name``."""
    draw = Random(seed)
    setup, number = DISHONEST[name]
    harmless = [line for line in draw.sample(HARMLESS, 2) if "memory" not in line and "CALLS" not in line]
    return learner([setup] if setup else [], number, harmless, draw.random() < 0.5)
