"""The confidence sets of the rates and of the jump probabilities, and the event 𝒢."""

ORDER = ("poisson", "rates", "rates_repaired", "jumps", "coverage", "event")
