"""Whole documents that say something else than they show: each change here makes one that is to be refused.

A change keeps everything else in order: words follow formulas, sums follow verdicts, certificates the labels
of their claims.  ``python -m tests.quality.hostile.rewriting RUN.json SEED COUNT`` changes the document of a
run and prints what is accepted all the same.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.written_documents import by_certificates, by_code, document, summary, words
from verify.recheck import recheck
from verify.recheck.documents import Document
from verify.recheck.intervals import UnknownError
from verify.recheck.schema import VERDICTS
from verify.recheck.work import TooLongError, limited
from verify.streams import writing

Data = dict[str, Any]
Change = Callable[
    [random.Random, Data, Data], "Data | None"
]  # of one claim of a document; None: does not apply

PROVED = ("proved", "proved-on-box")
FREE = (
    "evidence",
    "witness",
    "slack",
    "symbols",
    "source",
    "statement",
    "latex",
    "expected",
    "seconds",
    "kind",
)
OTHERS: tuple[Any, ...] = (None, True, 7, 1.5, "", "another", [], {}, ["x"], {"x": "1"})
# Said of nothing in particular, and false.
FALSE = ("1 <= 0", "2 < 1", "0 == 1", "1/2 >= 3")


def shown(claim: Data, what: str) -> Data | None:
    return (claim["proof"] or {}).get(what) if claim["verdict"] in PROVED else None


def restated(claim: Data, says: Any) -> Data:
    formula = {"relation": says} if isinstance(says, str) else says
    return claim | {"formula": formula, "says": words(formula)}


# ---------------------------------------------------------------- what is said


def another_formula(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    return restated(claim, rng.choice(FALSE)) if shown(claim, "formula") else None


def a_stronger_formula(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    """One that needs another certificate: a margin at the side that is not to be larger."""
    relation = (claim["formula"] or {}).get("relation")
    if not shown(claim, "formula") or relation is None:
        return None
    for sign, add in (("<=", "+"), ("==", "+"), (">=", "-"), ("<", "+"), (">", "-")):
        if relation.count(sign) == 1:
            left, right = relation.split(sign)
            return restated(
                claim, f"{left.strip()} {add} {rng.choice(('1', '1/10**6', '10**9'))} {sign} {right.strip()}"
            )
    return None


def the_other_direction(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    formula = claim["formula"]
    if not shown(claim, "formula") or "increasing" not in formula:
        return None
    return restated(claim, formula | {"increasing": not formula["increasing"]})


def another_limit(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    formula = claim["formula"]
    return restated(claim, formula | {"to": "12345"}) if shown(claim, "formula") and "to" in formula else None


def another_theorem(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if not shown(claim, "theorem"):
        return None
    others = [c["theorem"] for c in whole["claims"] if c["theorem"] not in (None, claim["theorem"])]
    return claim | {"theorem": rng.choice([*others, "0 <= -1", f"Not({claim['theorem']})"])}


def a_wider_domain(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    conditions = claim["area"]["conditions"]
    if not shown(claim, "formula") or not conditions or shown(claim, "formula")["by"] != "certificate":
        return None
    k = rng.randrange(len(conditions))
    area = claim["area"] | {"conditions": conditions[:k] + conditions[k + 1 :]}
    domain = [text for text in claim["domain"] if text != conditions[k]]
    return claim | {"area": area, "domain": domain}


def other_integers(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    area = claim["area"]
    if not shown(claim, "formula") or not area["integers"] or shown(claim, "formula")["by"] != "certificate":
        return None
    gone = rng.choice(area["integers"])
    area = area | {"integers": [x for x in area["integers"] if x != gone], "reals": [*area["reals"], gone]}
    told = [
        *area["conditions"],
        *(f"{x} real" for x in area["reals"]),
        *(f"{x} integer" for x in area["integers"]),
    ]
    return claim | {"area": area, "domain": told}


# ---------------------------------------------------------------- what is shown


def no_proof(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    return claim | {"proof": rng.choice((None, {}))} if claim["verdict"] in PROVED else None


def half_a_proof(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if claim["verdict"] not in PROVED or len(claim["proof"]) < 2:
        return None
    gone = rng.choice(sorted(claim["proof"]))
    return claim | {"proof": {k: v for k, v in claim["proof"].items() if k != gone}}


def code_in_its_place(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if claim["formula"] is None and claim["theorem"] is None:
        return None
    kept = claim["proof"] or {} if rng.random() < 0.3 and claim["verdict"] in PROVED else {}
    return claim | {"verdict": "proved", "proof": kept | by_code()}


def by_itself(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    """An inequality, or a monotone function, is no identity and no limit."""
    formula = claim["formula"] or {}
    if "limit" in formula or "==" in formula.get("relation", "") or not shown(claim, "formula"):
        return None
    return claim | {"proof": claim["proof"] | {"formula": {"by": rng.choice(("identity", "limit"))}}}


def no_certificates(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    return claim | {"proof": claim["proof"] | by_certificates()} if shown(claim, "formula") else None


def certificates_of_another(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    others = [
        c for c in whole["claims"]
        if (shown(c, "formula") or {}).get("by") == "certificate" and c["formula"] != claim["formula"]
    ]  # fmt: skip
    if not shown(claim, "formula") or not others:
        return None
    certificates = rng.choice(others)["proof"]["formula"]["certificates"]
    own = [c | {"label": claim["label"]} for c in certificates]
    return claim | {"proof": claim["proof"] | by_certificates(*own)}


def a_proof_by_name_only(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if (shown(claim, "formula") or {}).get("by") != "certificate":
        return None
    found = copy.deepcopy(claim["proof"]["formula"]["certificates"])
    rng.choice(found)["proof"] = rng.choice(
        ({}, {"by": "authority"}, {"by": "known", "of": "0"}, {"by": "sum", "terms": []})
    )
    return claim | {"proof": claim["proof"] | by_certificates(*found)}


def derivation_of_another(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    others = [c for c in whole["claims"] if shown(c, "theorem") and c["theorem"] != claim["theorem"]]
    if not shown(claim, "theorem") or not others:
        return None
    other = rng.choice(others)
    data = other["proof"]["theorem"]["derivation"] | {"label": claim["label"], "theorem": claim["theorem"]}
    told = {"setting": other["setting"], "uses": list(dict.fromkeys([*claim["uses"], *other["uses"]]))}
    return claim | told | {"proof": claim["proof"] | {"theorem": {"by": "derivation", "derivation": data}}}


def a_shorter_derivation(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if not shown(claim, "theorem"):
        return None
    data = claim["proof"]["theorem"]["derivation"]
    steps = data["steps"]
    kept = rng.choice(([], steps[:-1], [{"rule": "assume", "formula": claim["theorem"]}]))
    return _derived(claim, {"steps": kept})


def a_step_that_is_believed(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    """The theorem as a lemma, or as a fact, of whatever name there is."""
    if not shown(claim, "theorem"):
        return None
    labels = [c["label"] for c in whole["claims"] if c["theorem"] != claim["theorem"]]
    step = rng.choice(
        [
            {"rule": "lemma", "label": rng.choice(labels), "formula": claim["theorem"]},
            {"rule": "fact", "name": rng.choice([*whole["settings"][claim["setting"]]["facts"], "none"])},
            {"rule": "trust", "formula": claim["theorem"]},
        ]
    )
    uses = list(dict.fromkeys([*claim["uses"], *([step["label"]] if "label" in step else [])]))
    return _derived(claim | {"uses": uses}, {"steps": [step]})


def a_relation_of_another(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    """``pointwise``, with what the claim that it names does not say."""
    if not shown(claim, "theorem"):
        return None
    steps = copy.deepcopy(claim["proof"]["theorem"]["derivation"]["steps"])
    named = [s for s in steps if s["rule"] == "pointwise" and "label" in s]
    others = [c["label"] for c in whole["claims"] if c["label"] not in claim["uses"]]
    if not named or not others:
        return None
    rng.choice(named)["label"] = other = rng.choice(others)
    return _derived(claim | {"uses": [*claim["uses"], other]}, {"steps": steps})


def uses_that_are_not_said(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if not shown(claim, "theorem"):
        return None
    steps = claim["proof"]["theorem"]["derivation"]["steps"]
    named = [s["label"] for s in steps if s["rule"] in ("lemma", "pointwise") and "label" in s]
    return claim | {"uses": [x for x in claim["uses"] if x not in named]} if named else None


def _derived(claim: Data, changed: Data) -> Data:
    data = claim["proof"]["theorem"]["derivation"] | changed
    return claim | {"proof": claim["proof"] | {"theorem": {"by": "derivation", "derivation": data}}}


# ---------------------------------------------------------------- what is found


def another_verdict(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if claim["verdict"] in PROVED and rng.random() < 0.5:
        return claim | {"verdict": rng.choice(("proved ", "Proved", "certain", None, 1))}
    return claim | {"verdict": "proved"} if claim["verdict"] not in PROVED else claim | {"verdict": "refuted"}


def no_point(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if not shown(claim, "formula") or not claim["point"]:
        return None
    name = rng.choice(sorted(claim["point"]))
    less = {k: v for k, v in claim["point"].items() if k != name}
    return claim | {
        "point": rng.choice((None, {}, less, claim["point"] | {name: "1/0"}, claim["point"] | {"#": "1"}))
    }


def a_point_outside(rng: random.Random, claim: Data, whole: Data) -> Data | None:
    if not shown(claim, "formula") or not claim["point"] or not claim["area"]["conditions"]:
        return None
    name = rng.choice(sorted(claim["point"]))
    if f"{name} real" in claim["domain"]:
        return None
    ends = [t for t in claim["area"]["conditions"] if t.startswith((f"0 <= {name}", f"0 < {name}"))]
    return claim | {"point": claim["point"] | {name: "-10**40"}} if ends else None


CHANGES: tuple[Change, ...] = (
    another_formula, a_stronger_formula, the_other_direction, another_limit, another_theorem, a_wider_domain,
    other_integers, no_proof, half_a_proof, code_in_its_place, by_itself, no_certificates,
    certificates_of_another, a_proof_by_name_only, derivation_of_another, a_shorter_derivation,
    a_step_that_is_believed, a_relation_of_another, uses_that_are_not_said, another_verdict, no_point,
    a_point_outside,
)  # fmt: skip


# ---------------------------------------------------------------- the document around the claims


def _strange_field(rng: random.Random, data: Data) -> None:
    """A field that the language does not have, or one that is missing, or of another type."""
    place, depth = rng.choice(data["claims"]), rng.randrange(4)
    for _ in range(depth):
        inner = [
            v
            for k, v in place.items()
            if isinstance(v, dict) and k not in (*FREE, "point", "facts", "with", "at")
        ]
        inner += [v[0] for v in place.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
        inner = [one for one in inner if one]
        if not inner:
            break
        place = rng.choice(inner)
    if rng.random() < 0.6:
        place[rng.choice(("verdict ", "proofs", "trusted", "", "By", "rechecked"))] = rng.choice(OTHERS)
    else:
        key = rng.choice([k for k in place if k not in ("evidence", "witness", "slack", "seconds")])
        old = place[key]
        strange = [x for x in OTHERS if type(x) is not type(old) and x is not None and old is not None]
        place[key] = rng.choice(strange or [object])


def _wrong_sum(rng: random.Random, data: Data) -> None:
    summary = data["summary"]
    key = rng.choice(("total", "verdicts", "transitive", "elementary", "assumed", "gone"))
    if key in ("verdicts", "transitive"):
        summary[key][rng.choice(sorted(summary[key]))] += 1
    elif key == "gone":
        del summary[rng.choice(sorted(summary))]
    else:
        summary[key] = summary[key] + ([data["claims"][0]["label"]] if key == "assumed" else 1)


def _wrong_transitive(rng: random.Random, data: Data) -> None:
    one = rng.choice(data["claims"])
    one["transitive"] = rng.choice([v for v in (*VERDICTS[:4], "x") if v != one["transitive"]])
    data["summary"] = summary(data["claims"])


def _strange_label(rng: random.Random, data: Data) -> None:
    one = rng.choice(data["claims"])
    one["label"] = rng.choice((7, None, "", "two words", "ﬁ", one["label"] + "ϵ", [one["label"]], True))


def _twice(rng: random.Random, data: Data) -> None:
    data["claims"].append(copy.deepcopy(rng.choice(data["claims"])))


def _a_circle(rng: random.Random, data: Data) -> None:
    one, other = rng.choice(data["claims"]), rng.choice(data["claims"])
    one["uses"], other["uses"] = [*one["uses"], other["label"]], [*other["uses"], one["label"]]


def _nobody(rng: random.Random, data: Data) -> None:
    rng.choice(data["claims"])["uses"].append("lem:nobody")


AROUND = (_strange_field, _wrong_sum, _wrong_transitive, _strange_label, _twice, _a_circle, _nobody)


def rewritten(rng: random.Random, data: Data) -> tuple[str, str, Data]:
    """What was done, to which claim, and a document that has to be refused."""
    if rng.random() < 0.3:
        way = rng.choice(AROUND)
        other = copy.deepcopy(data)
        way(rng, other)
        return way.__name__, "", other
    while True:
        k, way_ = rng.randrange(len(data["claims"])), rng.choice(CHANGES)
        claim = data["claims"][k]
        if (changed := way_(rng, copy.deepcopy(claim), data)) is not None and changed != claim:
            return way_.__name__, changed["label"], _around(data, changed)


def _around(data: Data, changed: Data) -> Data:
    """The document of a claim, and of all that it rests on."""
    rows = {c["label"]: c for c in data["claims"]} | {changed["label"]: changed}
    found: dict[str, Data] = {}
    stack = [changed["label"]]
    while stack:
        if (label := stack.pop()) not in found:
            found[label] = rows[label]
            stack += rows[label]["uses"]
    names = {c["setting"] for c in found.values()}
    settings = {name: one for name, one in data["settings"].items() if name in names}
    return document(*found.values(), settings=settings)


def accepted(seed: int, count: int, data: Data) -> Iterator[tuple[str, str]]:
    """What is accepted among so many documents: what was done, and to which claim."""
    rng = random.Random(seed)
    for _ in range(count):
        way, label, other = rewritten(rng, data)
        if not refused(other, label):
            yield way, label


def refused(data: Data, label: str) -> bool:
    """Whether there are complaints; where one claim was changed, its own are looked for first."""
    if not label:
        return bool(recheck(data))
    try:
        with limited(5_000_000):
            return bool(Document(data).own(label, run=False).complaints) or bool(recheck(data, [label]))
    except (UnknownError, TooLongError):
        return True


if __name__ == "__main__":
    with writing("python -m tests.quality.hostile.rewriting"):
        run = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
        for found in accepted(int(sys.argv[2]), int(sys.argv[3]), run):
            print(*found, flush=True)
