"""The paper, and the numbers of its parts: counted in the order in which they stand, as LaTeX counts them.

These are the numbers of the source on arXiv.  A label of ours, of a passage that has none, has the number of
the place in which it stands.  ``eq:CS1`` is the label of two displays; the first is ``eq:CS1/first``.
"""

from __future__ import annotations

from verify import Paper

_COUNTED = {
    "Section {}": "sec:introduction sec:episodicRL sec:alg sec:result sec:simulation sec:proof-mainresult "
    "sec:conclusion",
    "Assumption {}": "eq:assume assume:LB",
    "Theorem {}": "thm:CT-UCB thm:lowerbound",
    "Proposition {}": "prop:proberror prop:rateerror",
    "Lemma {}": "lem:rateUCB lem:poisson lem:CI-p lem:error-model lem:optimism lem:v-v-continuoustime",
    "Remark {}": "remark:homogeneous eq:hjb-pde/euler remark:integral remark:lambda-min",
    "Algorithm {}": "alg:CTUCB alg:VI",
    "Figure {}": "fig:1",
    "Eq. ({})": "eq:M eq:FH-control eq:FH-control2 eq:regret eq:hjb-pde eq:Qa eq:FH-control-discrete "
    "eq:Timek eq:xay eq:Nkplus eq:empirical-P eq:rate-est eq:bonus-k eq:pi-k eq:Tak eq:m-VI "
    "eq:regret-bound eq:regret-b1 eq:regret-lowerbound eq:regret-lowerbound2 eq:beta-k eq:rateUCB "
    "eq:rate-bound-1 eq:rate-bound-2 eq:alpha-k eq:CI-p eq:G eq:model-error1 eq:model-error eq:error1 "
    "eq:error2 eq:optimism eq:vi-k eq:mono eq:diff eq:b-sup eq:error-vi eq:rec-Vk eq:Vpik eq:reward-disc "
    "eq:sumK eq:r1 eq:r2 eq:CS1/first eq:CS1 eq:CS2 eq:CS3 eq:JM-eq eq:CS4 eq:term1-3 eq:cond-exp eq:Rj "
    "eq:sumTj",
}
_PARTS = {
    "sec:episodicRL/banach": "Section 2.1",
    "sec:pre-lemma": "Section 6.1",
    "sec:proof-LB": "Section 6.3",
    "alg: CTUCB": "Algorithm 1",
}

PAPER = Paper(
    title="Square-root regret bounds for continuous-time episodic Markov decision processes",
    authors=("Xuefeng Gao", "Xun Yu Zhou"),
    published="Mathematics of Operations Research (2025), doi:10.1287/moor.2022.0283; arXiv:2210.00832, "
    "whose numbers are used here",
    link="https://arxiv.org/abs/2210.00832",
    numbers=_PARTS
    | {
        label: words.format(number)
        for words, labels in _COUNTED.items()
        for number, label in enumerate(labels.split(), 1)
    },
)
