"""What concerns a constant only: those that do not come out as printed, and those that can be better."""

from __future__ import annotations

from verify import Defect

DEFECTS = [
    Defect(
        "short-horizons",
        "The constants of the theorem come out for SAH ≥ 1 only",
        "constant",
        ("thm:CT-UCB/rate-constant", "thm:CT-UCB/jump-constant"),
        says=r"With $\delta=1/(2KH)$, prop:proberror and prop:rateerror give the factors "
        r"$\sqrt{2S+6\ln(2SAKH)}$ and $4\lambda_{\max}H\sqrt{\ln(2SAKH)}$ of eq:regret-bound.",
        wrong=r"The second comes out exactly if $SAH\ge1$, the first if $4S^2A^2H\ge(2/e)^S$. For shorter "
        r"horizons they are $2\sqrt2\,\lambda_{\max}H\sqrt{\ln(4SAK^2H)}$ and "
        r"$\sqrt{2S\ln2+2\ln(2SAK^3H^2)}$, which are larger: $S=A=2$, $K=3$, $H=1/5$.",
        consequence="The bound stands as printed there as well, since its other factors have room to spare.",
        repair="thm:CT-UCB/repaired",
        proposed=r"""After the two propositions: ``For $SAH\ge1$ the factors are as stated. For $SAH<1$
the
propositions hold with the constants $2$ and $7/3$ for $3$ and with $(e-1)\lambda_{\max}H+1.55$ for the
growing factor,
which makes up for the difference.''""",
    ),
    Defect(
        "poisson-tail",
        "A factor 2 is missing in the tail bound of the Poisson distribution",
        "constant",
        ("lem:poisson", "eq:rate-bound-1"),
        says=r"$\mathbb P(|X-\lambda|>x)\le e^{-x^2/(2(\lambda+x))}$ for $X$ Poisson with mean $\lambda$.",
        wrong="The factor 2 of the source is missing. Without it the bound is false for every mean that is "
        "no integer: mean $1/2$, $x=49/100$ has 1 on the left and 0.886 on the right.",
        consequence="None: the factor 2 of eq:rate-bound-1, in the same proof, is not needed, as the "
        "truncation moves the estimate towards the rate.",
        repair="lem:poisson/repaired",
        proposed=r"""\[ \mathbb P(|X-\lambda|>x)\le 2\,e^{-\frac{x^2}{2(\lambda+x)}},\qquad x>0, \]
and in the proof of the lemma, without the factor 2: as $\lambda\le\lambda_{\max}$,
$|\min\{N^{k,+}/T^k,\lambda_{\max}\}-\lambda|\le|N^{k,+}/T^k-\lambda|$.""",
    ),
    Defect(
        "lower-bound-square",
        "Lower bound: at the chosen Δ the factor 1 − 1/(LA) is squared",
        "constant",
        ("thm:lowerbound/maximum",),
        says=r"At $\Delta=\frac1{2\sqrt2}(1-\frac1{LA})\sqrt{LA/K}$ the lower bound is "
        r"$\frac1{4\sqrt2}W(1-\frac1{LA})\sqrt{LAK}$.",
        wrong=r"It is $\frac1{4\sqrt2}W(1-\frac1{LA})^2\sqrt{LAK}$.",
        consequence=r"The displayed inequality for $\max_jR_j$ holds all the same, with "
        r"$\Delta=\frac3{10}\sqrt{LA/K}$ and the repaired sum of visits.",
        repair="thm:lowerbound/maximum/stands",
        proposed=r"""\[ \max_{j\in\mathcal J}R_j\ge\frac1{4\sqrt2}\,\mathbb E[(H-\gamma_d)^+]
\Bigl(1-\frac1{LA}\Bigr)^2\sqrt{LAK}, \]
or the display as it stands, with $\Delta=\frac3{10}\sqrt{LA/K}$ and the biased number of visits.""",
    ),
    Defect(
        "bonus-twice",
        "The bonus is twice what is needed",
        "constant",
        ("lem:optimism/bonus", "lem:optimism", "lem:v-v-continuoustime", "eq:error2"),
        says=r"The bonus $C(H^2\beta_k+H\alpha_k)$ makes the computed values optimistic (lem:optimism); the "
        r"loss of an episode is bounded by sums of $b^k$, $\alpha_k$ and $(H-t_m)^+\beta_k$ "
        "(lem:v-v-continuoustime).",
        wrong="True, and twice too large: the errors of the rate in the reward and in the holding time "
        r"have opposite signs, and $|\sum_yf(\hat p-p)|\le\frac12\|f\|\,\|\hat p-p\|_1$ where $\hat p$ is a "
        r"probability and $f\ge0$.",
        consequence="With half of the bonus the bound of thm:CT-UCB can be halved; with the bonus as a "
        "lump sum of the remaining time its factor $CH+1$ disappears.",
        repair="lem:optimism/halved",
        proposed=r"""\[ b^k(x,a,\delta) = \frac12\,\frac{\lambda_{\max}}{1-e^{-\lambda_{\max}H}}
\bigl(H^2\beta_k(x,a,\delta)+H\alpha_k(x,a,\delta)\bigr) \] suffices for the lemma.""",
        reading="The statements stand as printed.",
    ),
    Defect(
        "stopping-error",
        "The stopping error is exponentially too large",
        "constant",
        ("eq:error-vi", "alg:VI/linear-rate"),
        says=r"Stopped where two iterates are within $\epsilon_k$, value iteration is within "
        r"$\epsilon_ke^{\lambda_{\max}H}$ of its limit (eq:error-vi), to which it converges with the linear "
        r"rate $\rho=1-e^{-\lambda_{\max}H}$.",
        wrong=r"True as bounds. The value moves by at most $\epsilon_k\lambda_{\max}H$ after the iteration "
        "has stopped, because $j$ further iterations need $j$ jumps, and the error falls faster than any "
        "linear rate.",
        consequence=r"$\sum_k\epsilon_k\lambda_{\max}H$ can replace $\sum_k\epsilon_ke^{\lambda_{\max}H}$ "
        r"in thm:CT-UCB, and the corollary needs $\epsilon_k=k^{-\alpha}/(\lambda_{\max}H)$ only.",
        repair="eq:error-vi/load",
        proposed=r"""\[ \|\hat V^k_\infty-\hat V^k_{n_k}\|_\infty\le\epsilon_k\cdot\lambda_{\max}H . \]""",
        reading="The statements stand as printed.",
    ),
    Defect(
        "growing-factor",
        "The factor that grows with K is not needed",
        "constant",
        ("prop:proberror", "eq:term1-3", "prop:proberror/pigeon-hole"),
        says=r"prop:proberror has the constant 3 and the factor $(\lambda_{\max}H+1)\ln K/\ln(\ln K+1)$, "
        "from the largest number of jumps of $K$ episodes (eq:term1-3).",
        wrong="True, with two losses. For increments 0 and 1 the constant of the pigeon-hole argument is "
        "2. And by the concavity of the root, level by level, the maximum over the episodes is not needed: "
        r"the factor can be $(e-1)\lambda_{\max}H+1.55$, which does not grow with $K$.",
        consequence="From $K=101$ on the same algorithm has less than half of the bound of thm:CT-UCB.",
        repair="prop:proberror/sharp",
        proposed=r"""\[ \mathbb
E\sum_{k=1}^K\sum_{m=0}^\infty\frac{(H-t_m^k)^+}{\sqrt{\max\{1,N^{k,+}(x_m^k,a_m^k)\}}}
\le 2\Bigl(H+\frac1{\lambda_{\min}}\Bigr)\sqrt{SAK}\,
\Bigl((e-1)\lambda_{\max}H+\frac1{\sqrt e-1}\Bigr) . \]""",
        reading="The statements stand as printed.",
    ),
]
