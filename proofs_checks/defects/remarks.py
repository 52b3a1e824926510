"""What concerns a remark that no proof uses."""

from __future__ import annotations

from verify import Defect

DEFECTS = [
    Defect(
        "two-problems",
        "The two optimality conditions are not equivalent: they solve two different problems",
        "remark",
        ("eq:hjb-pde/equivalent", "eq:hjb-pde", "eq:hjb-pde/policy", "eq:FH-control-discrete/converges"),
        says="$V^*$, the supremum over policies that choose an action when a state is entered, satisfies "
        "the HJB equation eq:hjb-pde, which is equivalent to $V^*=GV^*$; maximising its right side gives "
        "an optimal policy, and one may expect the discretised problem to converge to this one.",
        wrong="The HJB equation describes the problem in which the action may change at any time. On the "
        "paper's own example the two values are 0.64106 ($V=GV$) and 0.64485 (HJB); the policy of the HJB "
        "equation, played at jumps, loses 0.0039 in every episode; and the discretised problem converges "
        "to the HJB value if actions may change at grid points.",
        consequence="Neither theorem uses the HJB equation. Regret measured against its value would grow "
        "linearly for a learner that plays optimally.",
        repair="eq:hjb-pde/repaired",
        proposed=r"""``If the action may change at any time, the optimal value function solves the HJB
equation \ldots In
the present model the action is held until the next jump; then the optimality condition is $V^*=GV^*$,
whose solution
is in general smaller. The two agree if and only if in every state one action attains the maximum of the
HJB equation at
all remaining times.''""",
        reading="What is said about discretisation is an expectation, with a caveat; it is right if the "
        "policies are those of the CTMDP and only the reward is sampled.",
    ),
    Defect(
        "known-lambda-min",
        "The remark on a known λmin leaves two things unsaid",
        "remark",
        ("remark:lambda-min/order",),
        says=r"If $\lambda_{\min}$ is known and $\hat\lambda_k$ is truncated from below, the order of the "
        r"bound improves from $H+1/\lambda_{\min}$ to $1/\lambda_{\min}$.",
        wrong=r"The order is right. But the terms without the bonus keep the factor $H+1/\lambda_{\min}$, "
        r"which does no harm; and an unseen pair then has $\hat\lambda>0$ with an empty row, so that the "
        "$L_1$ bound is needed without data, which holds for $H>1$.",
        consequence="None.",
        repair="remark:lambda-min/unseen",
        proposed=r"""Add: ``A pair without data then has $\hat\lambda_k\ge\lambda_{\min}>0$ and $\hat
p_k=0$; as
$\alpha_k\ge1$ for $H>1$, the bounds of the proof cover it.''""",
    ),
    Defect(
        "sizes",
        "The lower bound is stated for few numbers of states",
        "remark",
        ("assume:LB/sparse",),
        says="assume:LB asks for $S=2+(A^d-1)/(A-1)$; it 'can be relaxed' as in a paper on discrete time.",
        wrong=r"For $A=2$ it allows $S=9,17,33,\ldots$ only. How it is relaxed for continuous time is not "
        "said.",
        consequence=r"None: the bound holds for every $S\ge6$ and $A\ge2$, with the constant $1/11$.",
        repair="thm:lowerbound/every-size",
        proposed=r"""``The assumption on $S$ can be dropped: for every $S\ge6$ and $A\ge2$ a tree whose
last level is partly
filled, with all leaves on one level, gives the bound with the constant $\frac1{11}$.''""",
        reading="The paper says that the assumption is made for a cleaner analysis.",
    ),
    Defect(
        "figure",
        "The similar growth of regret and bound is not reproduced below 100,000 episodes",
        "remark",
        ("fig:1/growth",),
        says="The growth rate of the measured regret is similar to that of the bound up to ten million "
        "episodes.",
        wrong="In seeded runs of this package's implementation the regret grows linearly up to about "
        "100,000 episodes (slope 1.0 in the log-log plot, 0.6 for the bound); from there on the slopes are "
        "similar.",
        consequence="None for the theorems. The plotted bound exceeds $KH$ on the whole range of the "
        r"figure, and is proved for $\delta=1/(2KH)$, not for the $\delta=0.05$ of the experiment.",
        repair="fig:1/growth/repaired",
        proposed=r"""``\ldots is similar to that of the worst-case bound from about $10^5$ episodes on;
before that the
bonus is so large that the regret grows linearly.''""",
        reading="An observation of the paper about runs of a discretised implementation, which are not "
        "part of the source.",
    ),
]
