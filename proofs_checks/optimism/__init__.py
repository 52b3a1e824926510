"""Optimism, the contraction that it rests on, and smaller bonuses."""

ORDER = ("contraction", "lemma", "sharper_bonus", "lump_sum")
