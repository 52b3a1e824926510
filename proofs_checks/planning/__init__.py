"""The HJB equation, the optimality equation, value iteration, and discretisation."""

ORDER = ("hjb", "optimality", "value_iteration", "discretization")
