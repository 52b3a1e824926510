"""What of the paper is no claim of its label: definitions, passages without a label, what is not checked.

Every other label of the paper is that of a claim.  A passage without a label (in remarks, footnotes, proofs
and displays) stands in :data:`PASSAGES` under its claim with its first words, so that the list can be laid
beside the paper; what is not checked stands in :data:`NOT_CHECKED` with the reason.  A test compares all of
them with the claims and with the list of the paper's labels, and fails on a gap.
"""

from __future__ import annotations

from collections.abc import Mapping

DEFINITIONS: Mapping[str, str] = {
    "eq:M": "a model",
    "eq:assume": "the assumption on rates and rewards",
    "eq:FH-control": "the value of a policy",
    "eq:FH-control2": "the optimal value",
    "eq:regret": "regret",
    "eq:FH-control-discrete": "the discretised problem",
    "eq:Timek": "accumulated time",
    "eq:xay": "visit counts of triplets",
    "eq:Nkplus": "visit counts of pairs whose next state was seen",
    "eq:empirical-P": "estimated jump probabilities",
    "eq:rate-est": "estimated rates",
    "eq:bonus-k": "the bonus",
    "eq:alpha-k": "the radius of the jump probabilities",
    "eq:pi-k": "the policy of episode k",
    "eq:Tak": "the operator of the estimated model",
    "eq:m-VI": "modified value iteration",
    "eq:vi-k": "modified value iteration in episode k",
    "alg: CTUCB": "the learning algorithm",
    "alg:VI": "the planning algorithm",
    "assume:LB": "the assumption of the lower bound",
    "eq:regret-bound": "the display of thm:CT-UCB",
    "eq:regret-lowerbound": "the display of thm:lowerbound",
    "eq:rateUCB": "the display of lem:rateUCB",
    "eq:CI-p": "the display of lem:CI-p",
    "eq:model-error1": "the display of lem:error-model",
    "eq:optimism": "the display of lem:optimism",
    "fig:1": "the figure of the simulation",
}

# The claim, and the words with which the passage begins.
PASSAGES: Mapping[str, str] = {
    # --- introduction ----------------------------------------------------------------------
    "lem:rateUCB/conditional-poisson": "Even if the time is eventually truncated, the number of visits",
    "lem:rateUCB/independent": "Since the holding times at (x,a) across different episodes",
    "alg:VI/infinite": "converges generally in infinite number of iterations",
    "alg:VI/linear-rate": "converges asymptotically with a linear rate",
    "eq:sumK": "it is possible that the sum of estimation errors",
    "sec:introduction/not-poisson": "do not happen according to a Poisson process in general",
    "sec:introduction/unbounded": "random variables that are generally unbounded",
    # --- episodic learning -----------------------------------------------------------------
    "sec:episodicRL/joint-law": "It is immediate to see that if action a",
    "eq:M/rates": "and set q(x|x,a) = -λ(x,a) so that",
    "eq:M/equivalent": "are equivalent in the sense that they determine each other",
    "eq:assume/rescaling": "without loss of generality, r(x,a)",
    "eq:FH-control/clock": "by a_n := π(x_n, (H - t_n)^+) the action dictated by π",
    "eq:Qa/verification": "the existence of optimal policies is guaranteed",
    "sec:episodicRL/initial-distribution": "The results of the paper can also be extended",
    "remark:homogeneous/finite": "there are only finite (random) number of jumps",
    "remark:homogeneous/no-atom": "for almost every t in [0,H], one will not observe",
    "eq:hjb-pde": "It has been established that the optimal value function",
    "eq:hjb-pde/policy": "and then obtain the optimal policy by maximizing",
    "eq:hjb-pde/equivalent": "This alternative condition is equivalent to the HJB equation",
    "sec:episodicRL/banach": "the Banach space of all real-valued measurable functions",
    "eq:Qa/into": "two associated operators",
    "eq:Qa/optimality": "(Optimality equation) The optimal value function",
    "eq:Qa/iteration": "(Value iteration) Let V_0^* := 0",
    "eq:Qa/first-n": "Intuitively, one can view V_n^*",
    "eq:FH-control-discrete/steps": "in the original CTMDP the expected number of decision steps",
    "eq:FH-control-discrete/leading": "This bound matches the regret lower bound",
    "eq:FH-control-discrete/explodes": "It is clear that the bound for Regret^Δ grows",
    "eq:FH-control-discrete/euler": "Considering alternative learning algorithms such as EULER",
    "eq:FH-control-discrete/error": "it is hard to compute V^π - V_Δ^π",
    "eq:FH-control-discrete/converges": "while one may expect that Regret^Δ converges",
    # --- the algorithm ---------------------------------------------------------------------
    "eq:Nkplus/truncated": "the actual observed holding time is τ_n = H - t_n",
    "eq:rate-est/unseen": "If (x,a) has not been sampled prior to episode k",
    "eq:empirical-P/probability": "Strictly speaking, p̂_k(·|x,a) is not a probability vector",
    "eq:FH-control2/bounds": "because the reward r(x,a) in [0,1], the value V^π(x,t)",
    "alg:VI/indices": "n = n + 1; compute V_{n+1}(x,t) = min{t, max_a T^a V_n(x,t)}",
    "alg:VI/stops": "until ‖V_n - V_{n-1}‖ < ε",
    "eq:pi-k/measurable": "Then the policy π^k(x,t) can be computed",
    "eq:hjb-pde/euler": "the error resulting from time-discretization is unknown",
    "remark:integral/grid": "we then use piecewise-constant interpolation. The approximation error",
    # --- results ---------------------------------------------------------------------------
    "eq:regret-b1": "immediately implies the following result",
    "eq:regret-b1/epsilon": "If λmax, H > 1 and ε_k = 1/k^α e^{-λmax H} for α >= 1/2",
    "assume:LB/tree": "Note that S = 2 + (A^d - 1)/(A - 1)",
    "assume:LB/relaxed": "it can be relaxed following the discussion in Appendix D",
    "assume:LB/children": "In this rooted tree, each node has exactly A children",
    "thm:lowerbound/one-instance": "there exists an M in C such that ... for all K",
    "sec:result/gap": "suggest that our proposed CT-UCBVI algorithm achieves",
    "eq:FH-control-discrete/leading/repaired": "When K >= H²S³A and SA >= H, the leading term",
    "remark:lambda-min/integral": "can be upper bounded by 1/λmin (1 - e^...)",
    "remark:lambda-min/unseen": "so that the new estimator λ̂_k(x,a) >= λmin for all (x,a)",
    "remark:lambda-min/order": "One can then verify that when λmax, H > 1",
    # --- simulation ------------------------------------------------------------------------
    "sec:simulation/no-truncation": "there is no need to consider the truncation by t",
    "sec:simulation/evaluation": "Lemma 3.1 in Huang and Guo yields that",
    "sec:simulation/stopping": "Return u_n as an approximation",
    "sec:simulation/rescaled": "we rescale the reward rates to [0,1]",
    "sec:simulation/parameters": "We implement the proposed CT-UCBVI algorithm with parameters",
    "fig:1/growth": "the growth rate of the expected regret",
    # --- proofs of the lemmas --------------------------------------------------------------
    "lem:rateUCB/unseen": "If T^k(x,a) = 0, i.e., the state-action pair",
    "eq:rate-bound-1/equality": "We now estimate the following conditional probability",
    "lem:rateUCB/exponent": "Applying Lemma lem:poisson, we obtain for T > L/λmax",
    "lem:rateUCB/radius": "<= e^{-L(δ)/4} = δ/(2SAK)",
    "lem:rateUCB/short": "This inequality actually also holds for T <= L/λmax",
    "lem:rateUCB/beta-bound": "Recall that β_k(x,a,δ) = √(λmax L(δ)/T^k) < λmax when",
    "lem:rateUCB/union": "Applying a union bound, we deduce that",
    "lem:CI-p/weissman": "The next lemma, which is a known result",
    "eq:G": "Lemmas lem:rateUCB and lem:CI-p yield that",
    "lem:error-model/lipschitz": "the function g(λ) := λ e^{-λs} has the first-order derivative",
    "lem:error-model/jump-integral": "Combining eq:model-error, eq:error1 and eq:error2",
    "lem:optimism/display": "From the value iteration, we have",
    "eq:Qa/monotone": "Because T^{a,k} is a monotone nondecreasing mapping",
    "lem:optimism/reward": "we can use a similar argument as in eq:reward-disc",
    "lem:optimism/value-bound": "Moreover, 0 <= V_n^*(x,t) <= V^*(x,t) <= t",
    "lem:optimism/sufficient": "Therefore, (T^{a,k} V̂_n)(x,t) - (T^a V_n^*)(x,t) >= 0",
    "eq:b-sup": "One can easily verify that the function to be maximized",
    "lem:optimism/bonus": "Hence eq:b-sup indeed holds by the definition",
    "lem:optimism/induction": "We first prove that V^*(x,t) <= V̂_∞(x,t)",
    "lem:optimism/contraction": "This implies that the operator T^{a,k} is a contraction",
    "lem:optimism/contraction-max": "It follows that the mapping from u to sup_a",
    "lem:optimism/contraction-truncated": "Because the function min{H, x} is Lipschitz",
    "lem:v-v-continuoustime/lipschitz": "we use the fact that the function ∫_0^H e^{-λs} ds",
    "lem:v-v-continuoustime/step": "Then we deduce from eq:rec-Vk and eq:Vpik",
    "lem:v-v-continuoustime/recursion": "we can apply the above procedure recursively",
    # --- proof of the upper bound ----------------------------------------------------------
    "eq:r2/conditional": "that, conditional on 𝒢,",
    "eq:r2/indicator": "It follows from Lemma lem:v-v-continuoustime and the definitions",
    "thm:CT-UCB/delta": "In the following we choose δ = 1/(2KH)",
    "thm:CT-UCB/L": "and L(δ) = 4 ln(2SAK/δ) > 1",
    "thm:CT-UCB/jump-constant": "Applying Propositions prop:proberror and prop:rateerror (first root)",
    "thm:CT-UCB/rate-constant": "Applying Propositions prop:proberror and prop:rateerror (second root)",
    "prop:proberror/limit": "Noting (H - t_m)^+ = (H - t_m) 1 and lim",
    "prop:proberror/ratio": "Using the fact that e^{λmin x} >= 1 + λmin x",
    "prop:proberror/conditional": "Because the holding time t_{m+1} - t_m has an exponential",
    "prop:proberror/pigeon-hole": "where the third inequality is due to Lemma 19",
    "prop:proberror/cauchy-schwarz": "and the fourth inequality follows from Cauchy-Schwarz",
    "eq:JM-eq": "It is clear that",
    "prop:proberror/coupling": "Noting λ(x,a) <= λmax for all (x,a), we get",
    "eq:term1-3": "where the second inequality is a standard bound",
    "prop:rateerror/jensen": "where the first inequality is due to Jensen's inequality",
    "prop:rateerror/mean": "= 1/√(e^{-λT} + λT)",
    "prop:rateerror/elementary": "the second inequality follows from the fact that e^{-t} + t",
    "prop:rateerror/L": "where the first inequality follows from L(δ) > 1",
    "prop:rateerror/rate": "and the last inequality is due to λ(x,a) <= λmax",
    # --- proof of the lower bound ----------------------------------------------------------
    "thm:lowerbound/instances": "both of which are absorbing states",
    "thm:lowerbound/optimal": "The optimal cumulative expected reward over [0,H]",
    "thm:lowerbound/reward": "the cumulative expected reward of the algo in M_j in episode k",
    "thm:lowerbound/data-processing": "Since T_j/K in [0,1], one can show that",
    "thm:lowerbound/pinsker": "It then follows from Pinsker's inequality",
    "thm:lowerbound/divergence": "Because M_0 and M_j only differ when",
    "thm:lowerbound/kl": "<= E_0[T_j] 4Δ², when Δ <= 1/4",
    "thm:lowerbound/visits": "Hence, (1/K) E_j[T_j] <=",
    "thm:lowerbound/maximiser": "This lower bound is maximized by taking Δ",
    "thm:lowerbound/delta": "<= 1/4 (by K >= SA/2)",
    "thm:lowerbound/maximum": "Hence max_j R_j >= 1/(4√2)",
    "thm:lowerbound/leaves": "Because A >= 2 and S >= 6, we have L",
    "thm:lowerbound/constant": "So we obtain max_j R_j >= 1/(12√2)",
    "thm:lowerbound/erlang": "follows from eq:regret-lowerbound by Jensen's inequality",
}

# The words with which the passage begins, and why it is not checked.
NOT_CHECKED: Mapping[str, str] = {
    "Extending our algorithm and analysis in this paper to the case of unknown random rewards": (
        "no statement is given that could be checked, only that it is not difficult"
    ),
    "extending the results from the homogeneous setting to nonhomogeneous one is straightforward": (
        "about discrete-time problems, which are not treated here"
    ),
    "it is impossible to estimate p_t(y|x,a) reliably for all t": (
        "an informal conclusion from remark:homogeneous/no-atom; no estimator or loss is defined"
    ),
    "UCBVI-BF algorithm with Bernstein bonus, which has a regret bound": (
        "quoted from Azar, Osband and Munos (2017); only what the paper makes of it is checked "
        "(eq:FH-control-discrete/explodes, /leading)"
    ),
    "lower bound of Ω(H√(SAK)) for discrete-time episodic MDPs": "quoted from Domingues and others (2021)",
    "it is challenging to select the discretization step size": (
        "an observation about other people's experiments"
    ),
    "Assumption 1 of Domingues requires S = 3 + (A^d - 1)/(A - 1)": "about the assumptions of another paper",
    "our regret upper bound has a worse dependence on H": (
        "a comparison in words with bounds for another problem"
    ),
    "the extra √S factor comes from the fact that": "an explanation, not an assertion about the bound",
    "We do not show the standard deviation": (
        "about the runs of the authors, which are not part of the source"
    ),
    "the truncation turns out also important in our regret analysis": (
        "an explanation; where a proof uses λ̂ <= λmax it is a hypothesis of the claim"
    ),
    "we are unable to directly apply concentration inequalities for i.i.d. exponential distributions": (
        "an explanation of the method, not used"
    ),
    "the standard pathwise pigeon-hole argument cannot be used": (
        "about a method of proof; the path that it rests on is eq:sumK"
    ),
}
