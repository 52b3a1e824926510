"""Inequalities from the literature whose truth is known, as a measure of the prover.

``data/*.toml`` holds one family of sources each: what is claimed, on which domain, whether it is true, and
where it is from; facts only, restated in the language of claims.  ``entries`` reads them, ``truth`` tries to
contradict them numerically, ``running`` asks the prover and its peers, each in a process with a limit on its
time, ``peers`` translates for z3 and for Coq's tactic ``interval``, ``report`` makes the table, and
``python -m tests.benchmarks.corpus`` does it all (docs/corpus.md).
"""
