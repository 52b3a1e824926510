"""Slips and notation: what is meant is plain, and nothing rests on what is printed."""

from __future__ import annotations

from verify import Defect

DEFECTS = [
    Defect(
        "domain",
        "δ and the domain of the theorem are not stated; otherwise it stands",
        "erratum",
        ("thm:CT-UCB", "eq:regret-bound/real", "eq:term1-3/K=1", "thm:CT-UCB/delta", "thm:CT-UCB/L"),
        says=r"thm:CT-UCB bounds the regret for all $S,A,K\ge1$ and $H>0$; its proof takes $\delta=1/(2KH)$ "
        r"and $L(\delta)>1$.",
        wrong="For $2SAKH<1$ there is the root of a negative number in the bound; for $K=1$ the factor "
        r"$\ln K/\ln(\ln K+1)$ is $0/0$; for $KH\le1/2$ the proof's $\delta$ is not below 1, and "
        r"$L(\delta)>1$ fails for still shorter horizons.",
        consequence=r"None: with $\delta=1/(2KH)$ the bound holds as printed wherever it is a real number, "
        r"by a repaired proof, the factor read as its limit 1 for $K=1$; and for $KH\le1/2$ the regret is "
        r"at most $KH\le1/2$, whatever $\delta$ is.",
        repair="thm:CT-UCB/repaired",
        proposed=r"""``Let $2SAKH\ge1$ and $\delta=1/(2KH)$ (any $\delta\in(0,1)$ if $KH\le1/2$), and
read $\ln K/\ln(\ln
K+1)$ as $1$ for $K=1$.''""",
        reading="The cases are degenerate; no reader would apply the bound there.",
    ),
    Defect(
        "self-jumps",
        "Are jumps from a state to itself allowed?",
        "erratum",
        ("eq:M/rates", "eq:M/equivalent", "thm:lowerbound/instances", "eq:M/uniformised"),
        says=r"$q(x\mid x,a)=-\lambda(x,a)$, so that the rates sum to 0 and $q$ and $(\lambda,p)$ determine "
        "each other; the instances of the lower bound have two absorbing states, and all rates are at "
        r"least $\lambda_{\min}>0$.",
        wrong="Either self-jumps are excluded; then the first is right, and a state with a positive rate "
        "is left, so that the instances are not in the class. Or they are allowed; then the rates sum to "
        r"$-\lambda p(x\mid x,a)$. Nor may $\lambda$ then be replaced by the sum of the rates to other "
        "states: a self-jump is a decision. Uniformised, the paper's own example has another optimal value "
        "($0.64289$ for $0.64106$).",
        consequence="None for the upper bound, which holds in both readings. Without self-jumps the lower "
        "bound needs two more states, and has the constant 1/8.",
        repair="thm:lowerbound/no-self-jumps",
        proposed=r"""``Jumps from a state to itself are allowed and are decision epochs; $q(x\mid x,a) =
-\lambda(x,a)(1-p(x\mid x,a))$, and the model is given by $(\lambda,p)$. The absorbing states of the lower
bound jump to
themselves at the rate $\lambda_{\max}$.''""",
    ),
    Defect(
        "clock",
        "The clock of a policy in the value at a remaining time t < H",
        "erratum",
        ("eq:FH-control/clock",),
        says=r"$a_n=\pi(x_n,(H-t_n)^+)$ also in $V^\pi(x,t)$ with $t<H$ (eq:FH-control).",
        wrong=r"There $t-t_n$ remains. As written $V^\pi=\mathcal T^\pi V^\pi$, which eq:Vpik and the "
        "simulation use for $t<H$, fails: a policy that earns 1 while more than $1/2$ remains and nothing "
        r"after has $V^\pi(x,2/5)=2/5$ and $\mathcal T^\pi V^\pi(x,2/5)=0.07$.",
        consequence="None: $V^*$ and the regret, at $t=H$, are the same.",
        repair="eq:FH-control/clock/repaired",
        proposed=r"""In $V^\pi(x,t)$ the actions are $a_n=\pi(x_n,(t-t_n)^+)$.""",
    ),
    Defect(
        "one-instance",
        "Lower bound: the instance depends on K",
        "erratum",
        ("thm:lowerbound/one-instance",),
        says=r"There is an $\mathcal M$ such that the bound of thm:lowerbound holds for all $K\ge SA/2$.",
        wrong=r"$\Delta$, and with it the instance, depends on $K$. On a fixed instance of the proof UCB1 "
        r"has logarithmic regret, below the bound at $K=5\cdot10^{11}$.",
        consequence="None: the proof shows it in the right order.",
        repair="thm:lowerbound/repaired",
        proposed=r"""``for any algorithm and every $K\ge SA/2$ there exists an $\mathcal M\in\mathcal C$
such that \ldots''""",
    ),
    Defect(
        "loop-indices",
        "The indices of the loop",
        "erratum",
        ("alg:VI/indices",),
        says="$n$ is raised, and then $V_{n+1}$ is computed from $V_n$.",
        wrong="The first round reads $V_1$, which nothing has defined, and $V_0$ is never used.",
        consequence="None.",
        repair="alg:VI/indices/repaired",
        proposed=r"""\[ V_n(x,t)=\min\{t,\max_{a\in\mathcal A}\mathcal T^aV_{n-1}(x,t)\}. \]""",
    ),
    Defect(
        "displays",
        "Slips in four displays of the proofs",
        "erratum",
        ("lem:optimism/display", "eq:reward-disc/equality", "eq:rate-bound-1/equality", "eq:CS1"),
        says="The first display of the proof of lem:optimism, the first equalities of eq:reward-disc and "
        "eq:rate-bound-1, and two displays with the one label eq:CS1.",
        wrong=r"In the first the factor $\mathbb E[t\wedge\tau]$ of the reward is missing. The second is an "
        r"inequality where $\hat\lambda>\lambda$ (and has $\lambda(x,a)$ for $\lambda(x_0^k,a_0^k)$). The "
        r"third counts $N^{k,+}/T^k=\lambda_{\max}$ twice. In the first of the two displays eq:CS1 a factor "
        r"is $0/0$ where $t_m^k\ge H$.",
        consequence="None: the next lines need the inequality only.",
        repair="lem:optimism/display/repaired",
        proposed=r"""$V^*_{n+1}(x,t)=\sup_a\{r(x,a)\,\mathbb E[t\wedge\tau]+\mathbb
E[V^*_n(Y,(t-\tau)^+)]\}$; `$\le$' for the
first `$=$' in the other two displays; $x/(1-e^{-\lambda_{\min}x})$ means its limit $1/\lambda_{\min}$ at
$x=0$, and the
second display labelled with it gets a number of its own.""",
    ),
    Defect(
        "lower-bound-slips",
        "Lower bound: the children of a tree, and visits that are not seen to end",
        "erratum",
        ("thm:lowerbound/divergence/observed", "assume:LB/children"),
        says=r"Each node of the tree has exactly $A$ children; $\mathrm{KL}(\mathbb P_0,\mathbb "
        r"P_j)=\mathbb E_0[\mathbf T_j]\,\mathrm{kl}(1/2,1/2+\Delta)$.",
        wrong=r"The leaves have none. And if $\mathbf T_j$ counts the visits in $[0,H]$ and the data end at "
        r"$H$, '$\le$' holds and not '$=$', since a visit need not be left before $H$.",
        consequence="None: the number of nodes is right, and the inequality is what is used.",
        repair="thm:lowerbound/divergence/repaired",
        proposed=r"""``each node but the leaves has exactly $A$ children''; ``$\mathrm{KL}(\mathbb
P_0,\mathbb P_j)\le\mathbb
E_0[\mathbf T_j]\cdot\mathrm{kl}(1/2,1/2+\Delta)$''.""",
    ),
    Defect(
        "leading-term",
        "Discretisation: the condition under which the first term leads",
        "erratum",
        ("eq:FH-control-discrete/leading",),
        says=r"For $K\ge\bar H^2S^3A$ and $SA>H$ the bound of UCBVI--BF matches the lower bound.",
        wrong=r"The second condition must be $SA\ge\bar H=H/\Delta$, the number of decision steps, as it is "
        "where the paper comes back to this bound. With $SA>H$ the third term exceeds the first without "
        "limit.",
        consequence="None.",
        repair="eq:FH-control-discrete/leading/repaired",
        proposed=r"""``when $K\ge\bar H^2S^3A$ and $SA\ge\bar H$''.""",
    ),
    Defect(
        "function-space",
        "A space of non-negative functions is no Banach space",
        "erratum",
        ("sec:episodicRL/banach",),
        says=r"$\mathbb M$, the bounded measurable functions $u\ge0$ with $u(\cdot,0)=0$ and $\|u\|=\sup "
        "u$, is a Banach space.",
        wrong="It is no vector space, and sup u without absolute values is no norm of a difference.",
        consequence="None: a complete metric space is all that the contraction argument needs.",
        repair="sec:episodicRL/banach/repaired",
        proposed=r"""``the complete metric space \ldots with the distance $\sup|u-v|$''.""",
    ),
    Defect(
        "coupling",
        "The Poisson processes that bound the numbers of jumps are not named",
        "erratum",
        ("prop:proberror/coupling",),
        says=r"$J^k(H)\le Z^k(H)$ almost surely, with independent Poisson processes $Z^k$ of rate "
        r"$\lambda_{\max}$.",
        wrong="Right, but which they are is not said, and policies depend on the past.",
        consequence="None.",
        repair="prop:proberror/coupling",
        proposed=r"""Add: ``Let $Z^k$ have the gaps
$\lambda(x_m^k,a_m^k)\tau_m^k/\lambda_{\max}\le\tau_m^k$, which are
independent and exponential with rate $\lambda_{\max}$, whatever the policies depend on.''""",
    ),
    Defect(
        "experiment",
        "The experiment has ε₁ = 1",
        "erratum",
        ("sec:simulation/parameters",),
        says=r"The algorithm asks for $\epsilon_k\in(0,1)$; the experiment has $\epsilon_k=1/\sqrt k$.",
        wrong=r"$\epsilon_1=1$.",
        consequence=r"None: no proof uses $\epsilon_k<1$.",
        repair="sec:simulation/parameters/repaired",
        proposed=r"""``$\epsilon_k\in(0,1]$'' in the requirements of Algorithm 1.""",
    ),
]
