"""The model, the number of transitions, and policies by the clock."""

ORDER = ("model", "transitions")
